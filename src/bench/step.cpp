#include "bench/step.hpp"

namespace lmw::bench {

report::Step summarize(std::span<const TurnSample> samples, const EngineWatch& watch, int agents,
                       Duration span) {
  report::Step step{.sessions = agents, .replicas_busy = watch.replicas_busy(), .hits_pct = watch.hits_pct()};
  std::vector<double> ttfb;
  int finished = 0, tokens = 0, stayed = 0, later = 0;
  for (const auto& sample : samples) {
    step.failures += sample.failed;
    if (sample.failed) continue;
    if (sample.ttfb) ttfb.push_back(seconds(*sample.ttfb));
    finished += sample.last;
    tokens += sample.output_tokens;
    later += sample.stayed.has_value();
    stayed += sample.stayed.value_or(false);
  }
  const double hours = seconds(span) / 3600;
  step.sessions_per_hour = finished / hours;
  step.tokens_per_min = tokens / (seconds(span) / 60);
  step.ttfb_p50_s = report::quantile(ttfb, 0.5);
  step.ttfb_p95_s = report::quantile(ttfb, 0.95);
  if (later > 0) step.stayed_pct = 100.0 * stayed / later;
  return step;
}

}  // namespace lmw::bench
