#include "report/turn.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "report/report.hpp"

namespace lmw::report {

namespace {

struct SessionSums {
  double waited = 0;    // s, for content
  double in_turns = 0;  // s, between a turn's request and its end
  double tokens = 0;    // generated
};

// What lies of [begin, end] in the window, in seconds.
double overlap(Window window, Instant begin, Instant end) {
  return std::max(0.0, seconds(std::min(end, window.to) - std::max(begin, window.from)));
}

std::unordered_map<std::uint64_t, SessionSums> sums_by_session(const std::vector<Turn>& turns,
                                                               Window window) {
  std::unordered_map<std::uint64_t, SessionSums> sums;
  for (const auto& turn : turns) {
    const auto end = turn.done.value_or(window.to);
    if (turn.failed || turn.sent >= window.to || end < window.from) continue;
    auto& sum = sums[turn.session];
    sum.in_turns += overlap(window, turn.sent, end);
    sum.waited += overlap(window, turn.sent, turn.first.value_or(end));
    if (turn.first && *turn.first < end) {
      sum.tokens += turn.output_tokens * overlap(window, *turn.first, end) / seconds(end - *turn.first);
    }
  }
  return sums;
}

// Jain's index over the sessions' tokens per second spent in turns: 1 when all get on equally well, 1/n when
// one gets everything.
std::optional<double> fairness(const std::unordered_map<std::uint64_t, SessionSums>& sums) {
  double sum = 0, squares = 0, count = 0;
  for (const auto& [session, of] : sums) {
    if (of.in_turns <= 0) continue;
    const double rate = of.tokens / of.in_turns;
    sum += rate;
    squares += rate * rate;
    ++count;
  }
  if (squares <= 0) return std::nullopt;
  return sum * sum / (count * squares);
}

// Sums over the turns that ended in the window.
struct Ended {
  double turns = 0, failed = 0, sessions = 0, tokens = 0, later = 0, stayed = 0, spilled = 0, held = 0;
  double prompt = 0, cached = 0;  // of the turns whose cached tokens are known
  std::vector<double> ttfb, whole;

  void add(const Turn& turn) {
    failed += turn.failed;
    if (turn.failed) return;
    ++turns;
    if (turn.first) ttfb.push_back(seconds(*turn.first - turn.sent));
    whole.push_back(seconds(*turn.done - turn.sent));
    tokens += turn.output_tokens;
    sessions += turn.ends_session;
    later += turn.stayed.has_value();
    stayed += turn.stayed.value_or(false);
    spilled += turn.spilled;
    held += turn.held;
    if (!turn.cached_tokens) return;
    prompt += turn.prompt_tokens;
    cached += *turn.cached_tokens;
  }
};

}  // namespace

std::optional<double> quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  const double at = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const auto high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

Step summarize(const std::vector<Turn>& turns, Window window) {
  Ended ended;
  for (const auto& turn : turns) {
    if (turn.done && *turn.done >= window.from && *turn.done < window.to) ended.add(turn);
  }
  const double span = std::max(1e-9, seconds(window.to - window.from));
  Step step{.turns = ended.turns,
            .sessions_per_hour = ended.sessions * 3600 / span,
            .tokens_per_min = ended.tokens * 60 / span,
            .ttfb_p50_s = quantile(ended.ttfb, 0.5),
            .ttfb_p95_s = quantile(ended.ttfb, 0.95),
            .ttfb_p99_s = quantile(ended.ttfb, 0.99),
            .turn_p50_s = quantile(ended.whole, 0.5),
            .turn_p95_s = quantile(ended.whole, 0.95),
            .spilled = ended.spilled,
            .held = ended.held,
            .failures = ended.failed};
  if (!ended.ttfb.empty()) {
    step.ttfb_mean_s =
        std::accumulate(ended.ttfb.begin(), ended.ttfb.end(), 0.0) / static_cast<double>(ended.ttfb.size());
  }
  if (ended.prompt > 0) {
    step.cached_pct = 100 * ended.cached / ended.prompt;
    step.computed_tokens = ended.prompt - ended.cached;
  }
  if (ended.later > 0) step.stayed_pct = 100 * ended.stayed / ended.later;
  const auto sums = sums_by_session(turns, window);
  for (const auto& [session, of] : sums)
    step.worst_wait_s = std::max(step.worst_wait_s.value_or(0), of.waited);
  step.fairness = fairness(sums);
  return step;
}

}  // namespace lmw::report
