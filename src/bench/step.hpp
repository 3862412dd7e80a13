// The samples of a span of time as a row of a report.
#pragma once

#include <span>

#include "bench/agents.hpp"
#include "bench/engine_watch.hpp"
#include "report/arms.hpp"

namespace lmw::bench {

report::Step summarize(std::span<const TurnSample> samples, const EngineWatch& watch, int agents,
                       Duration span);

}  // namespace lmw::bench
