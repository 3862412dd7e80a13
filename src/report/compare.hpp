// Two reports side by side: what changed from one to the other.
#pragma once

#include <string>

#include "base/result.hpp"
#include "report/report.hpp"

namespace lmw::report {

// For each arm and number of sessions that both have: old, new and change of the main columns. An error when
// they have nothing in common.
Result<std::string> compare(const Report& before, const Report& after);

}  // namespace lmw::report
