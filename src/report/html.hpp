// A report as one HTML page with figures. It holds everything it needs: nothing is loaded from anywhere.
#pragma once

#include <string>

#include "report/report.hpp"

namespace lmw::report {

std::string to_html(const Report& report);

}  // namespace lmw::report
