#include "admin/history_json.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <nlohmann/json.hpp>

#include "admin/cache_json.hpp"
#include "routing/counters.hpp"

namespace lmw::admin {

namespace {

using nlohmann::json;
using store::Sample;

// Charts need no more digits.
double rounded(double value) { return std::round(value * 1000) / 1000; }

json per_second(double sum, const Sample& sample) {
  return sample.seconds > 0 ? json(rounded(sum / sample.seconds)) : json(nullptr);
}

json quantile(const Sample& sample, double share) {
  const auto value = ttfb_quantile(sample.ttfb, share);
  return value ? json(rounded(*value)) : json(nullptr);
}

json columns(const std::vector<Sample>& samples, std::int64_t step) {
  json at = json::array(), cached = json::array(), computed = json::array(), completion = json::array(),
       in_flight = json::array(), most = json::array(), held = json::array(), held_most = json::array(),
       p50 = json::array(), p95 = json::array();
  const auto point = [&](const Sample& sample) {
    at.push_back(sample.at);
    cached.push_back(per_second(static_cast<double>(sample.cached), sample));
    computed.push_back(per_second(static_cast<double>(sample.computed), sample));
    completion.push_back(per_second(static_cast<double>(sample.completion), sample));
    in_flight.push_back(per_second(sample.in_flight_seconds, sample));
    most.push_back(sample.seconds > 0 ? json(sample.in_flight_most) : json(nullptr));
    held.push_back(per_second(sample.held_seconds, sample));
    held_most.push_back(sample.seconds > 0 ? json(sample.held_most) : json(nullptr));
    p50.push_back(quantile(sample, 0.50));
    p95.push_back(quantile(sample, 0.95));
  };
  std::optional<std::int64_t> last;
  for (const auto& sample : samples) {
    if (last && sample.at > *last + step) point({.at = *last + step});  // a gap: nothing was seen
    point(sample);
    last = sample.at;
  }
  return {{"at", at},
          {"cached_per_s", cached},
          {"computed_per_s", computed},
          {"completion_per_s", completion},
          {"in_flight", in_flight},
          {"in_flight_most", most},
          {"held", held},
          {"held_most", held_most},
          {"ttfb_p50_s", p50},
          {"ttfb_p95_s", p95}};
}

json total(const std::vector<Sample>& samples) {
  Sample sum;
  for (const auto& sample : samples) sum.add(sample);
  const auto prompt = sum.cached + sum.computed;
  return {{"prompt_tokens", prompt},
          {"cached_tokens", sum.cached},
          {"completion_tokens", sum.completion},
          {"turns", sum.turns},
          {"unmeasured_turns", sum.unmeasured},
          {"failed", sum.failed},
          {"cached_share",
           prompt ? json(static_cast<double>(sum.cached) / static_cast<double>(prompt)) : json(nullptr)},
          {"ttfb_p50_s", quantile(sum, 0.50)},
          {"ttfb_p95_s", quantile(sum, 0.95)}};
}

}  // namespace

std::optional<Span> find_span(std::string_view name) {
  const auto found = std::ranges::find(spans, name, &Span::name);
  return found == spans.end() ? std::nullopt : std::optional(*found);
}

std::optional<double> ttfb_quantile(const std::array<std::int64_t, store::ttfb_buckets>& buckets,
                                    double share) {
  const auto turns = std::accumulate(buckets.begin(), buckets.end(), std::int64_t{0});
  if (turns == 0) return std::nullopt;
  const auto& bounds = routing::WaitHistogram::bounds;
  double left = share * static_cast<double>(turns);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const auto here = static_cast<double>(buckets[i]);
    if (here > 0 && left <= here) {
      const double low = i == 0 ? 0 : bounds[i - 1];
      return low + (bounds[i] - low) * left / here;
    }
    left -= here;
  }
  return bounds.back();  // beyond the last bound nothing more is known
}

json history_json(const store::History& history, std::string_view model, const Span& span,
                  std::int64_t unix_now) {
  const auto step = store::resolutions[span.resolution].step;
  const auto from = unix_now - span.seconds;
  const auto samples = history.since(model, span.resolution, from);
  return {{"model", model.empty() ? json(nullptr) : json(model)},
          {"span", span.name},
          {"from", from},
          {"to", unix_now},
          {"step_s", step},
          {"not_kept", history.problem().empty() ? json(nullptr) : json(history.problem())},
          {"total", total(samples)},
          {"points", columns(samples, step)}};
}

}  // namespace lmw::admin
