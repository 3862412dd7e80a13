#include "report/arms.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmw::report {

namespace {

using nlohmann::ordered_json;

ordered_json or_null(const std::optional<double>& value) {
  // Four decimals are more than any of these is known to.
  return value ? ordered_json(std::round(*value * 1e4) / 1e4) : ordered_json(nullptr);
}

std::string cell(const std::optional<double>& value, int decimals, std::string_view unit = "") {
  return value ? fmt::format("{:.{}f}{}", *value, decimals, unit) : "n/a";
}

}  // namespace

std::optional<double> quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  const double at = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const auto high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

std::string to_table(const std::vector<Arm>& arms) {
  constexpr std::string_view row = "{:<14} {:>8} {:>11} {:>8} {:>9} {:>9} {:>14} {:>13} {:>8}\n";
  auto out = fmt::format(fmt::runtime(row), "arm", "agents", "prefix hits", "stayed", "TTFB p50", "TTFB p95",
                         "output tok/min", "replicas busy", "failures");
  for (const auto& arm : arms) {
    for (const auto& step : arm.steps) {
      out += fmt::format(fmt::runtime(row), arm.name, step.sessions, cell(step.hits_pct, 1, " %"),
                         cell(step.stayed_pct, 1, " %"), cell(step.ttfb_p50_s, 2, " s"),
                         cell(step.ttfb_p95_s, 2, " s"), fmt::format("{:.0f}", step.tokens_per_min),
                         cell(step.replicas_busy, 2), step.failures);
    }
  }
  return out;
}

std::string to_json(const std::vector<Arm>& arms) {
  ordered_json out{{"arms", ordered_json::array()}};
  for (const auto& arm : arms) {
    ordered_json steps = ordered_json::array();
    for (const auto& step : arm.steps) {
      steps.push_back({{"sessions", step.sessions},
                       {"sessions_per_hour", or_null(step.sessions_per_hour)},
                       {"tokens_per_min", or_null(step.tokens_per_min)},
                       {"ttfb_p50_s", or_null(step.ttfb_p50_s)},
                       {"ttfb_p95_s", or_null(step.ttfb_p95_s)},
                       {"replicas_busy", or_null(step.replicas_busy)},
                       {"hits_pct", or_null(step.hits_pct)},
                       {"stayed_pct", or_null(step.stayed_pct)},
                       {"failures", step.failures}});
    }
    out["arms"].push_back({{"name", arm.name}, {"steps", std::move(steps)}});
  }
  return out.dump(2) + "\n";
}

}  // namespace lmw::report
