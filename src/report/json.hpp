// A report as JSON:
//
//   {"title","provenance":{…},"arms":[{"name","what","steps":[{"sessions", a field for each column}],
//    "spread":[…]}]}
//
// What was not measured is null. `spread` is there where a run was repeated.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "report/report.hpp"

namespace lmw::report {

std::string to_json(const Report& report);
// Timelines are not kept. Unknown fields are ignored, missing columns count as not measured.
Result<Report> from_json(std::string_view text);

}  // namespace lmw::report
