// Results on disk: whole or not at all, however often they are written and whenever the program ends.
#pragma once

#include <string>

#include "base/result.hpp"

namespace lmw::report {

// Replaces the file in one step, so that what was there before stays when this fails. `-` is standard output.
Result<void> write_file(const std::string& path, const std::string& text);

}  // namespace lmw::report
