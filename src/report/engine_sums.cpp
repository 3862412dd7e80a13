#include "report/engine_sums.hpp"

namespace lmw::report {

void add_engine(Step& step, const EngineSums& before, const EngineSums& after) {
  const auto queries = after.queries - before.queries, hits = after.hits - before.hits;
  if (queries > 0 && hits >= 0)
    step.hits_pct = 100 * static_cast<double>(hits) / static_cast<double>(queries);
  const auto polls = after.polls - before.polls;
  if (polls > 0)
    step.replicas_busy = static_cast<double>(after.busy - before.busy) / static_cast<double>(polls);
}

}  // namespace lmw::report
