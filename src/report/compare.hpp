// Two reports side by side: what changed from one to the other.
#pragma once

#include <string>

#include "base/result.hpp"
#include "report/report.hpp"

namespace lmw::report {

// For each arm and number of sessions that both have: old, new and change of the main columns. An error when
// they have nothing in common. Where runs were repeated it says which changes are within the spread: no
// larger than the standard deviation of a run of one less a run of the other.
Result<std::string> compare(const Report& before, const Report& after);

}  // namespace lmw::report
