#include "bench/step.hpp"

namespace lmw::bench {

report::Step summarize(const std::vector<report::Turn>& turns, const EngineWatch& watch, int agents,
                       report::Window window) {
  auto step = report::summarize(turns, window);
  step.sessions = agents;
  step.replicas_busy = watch.replicas_busy();
  step.hits_pct = watch.hits_pct();
  return step;
}

}  // namespace lmw::bench
