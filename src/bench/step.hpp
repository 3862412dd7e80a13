// The samples of a span of time as a row of a report.
#pragma once

#include <vector>

#include "bench/engine_watch.hpp"
#include "report/report.hpp"

namespace lmw::bench {

report::Step summarize(const std::vector<report::Turn>& turns, const EngineWatch& watch, int agents,
                       report::Window window);

}  // namespace lmw::bench
