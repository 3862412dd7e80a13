#include "report/engine_sums.hpp"

namespace lmw::report {

namespace {

std::optional<double> hits_pct(const EngineSums& before, const EngineSums& after) {
  std::int64_t queries = 0, hits = 0;
  for (std::size_t i = 0; i < after.engines.size(); ++i) {
    const auto &was = before.engines.at(i), &is = after.engines[i];
    if (!was || !is || was->restarts != is->restarts) return std::nullopt;
    queries += is->queries - was->queries;
    hits += is->hits - was->hits;
  }
  if (queries == 0) return std::nullopt;
  return 100 * static_cast<double>(hits) / static_cast<double>(queries);
}

}  // namespace

void add_engine(Step& step, const EngineSums& before, const EngineSums& after) {
  step.hits_pct = hits_pct(before, after);
  const auto polls = after.polls - before.polls;
  if (polls > 0 && polls > after.missed - before.missed)
    step.replicas_busy = static_cast<double>(after.busy - before.busy) / static_cast<double>(polls);
}

}  // namespace lmw::report
