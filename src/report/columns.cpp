#include "report/columns.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace lmw::report {

std::span<const Column> columns() {
  static constexpr auto all = std::to_array<Column>({
      {"turns", "turns", "turns that ended in the step", 0, &Step::turns},
      {"sessions_per_hour", "sess/h", "sessions finished an hour", 0, &Step::sessions_per_hour},
      {"tokens_per_min", "tok/min", "output tokens a minute", 0, &Step::tokens_per_min},
      {"ttfb_mean_s", "mean", "time to first content byte, mean", 2, &Step::ttfb_mean_s},
      {"ttfb_p50_s", "p50", "time to first content byte, median", 2, &Step::ttfb_p50_s},
      {"ttfb_p95_s", "p95", "time to first content byte, 95th percentile", 2, &Step::ttfb_p95_s},
      {"ttfb_p99_s", "p99", "time to first content byte, 99th percentile", 2, &Step::ttfb_p99_s},
      {"turn_p50_s", "turn50", "whole turn, median", 1, &Step::turn_p50_s},
      {"turn_p95_s", "turn95", "whole turn, 95th percentile", 1, &Step::turn_p95_s},
      {"replicas_busy", "busy", "mean number of replicas with work", 2, &Step::replicas_busy},
      {"hits_pct", "hits%", "prompt tokens found in the prefix cache, by the engine's counters", 1,
       &Step::hits_pct},
      {"cached_pct", "cached%", "the same, as the ended turns' usage has it", 1, &Step::cached_pct},
      {"stayed_pct", "stayed%", "later turns that ran where the turn before did", 1, &Step::stayed_pct},
      {"spilled", "spilled", "turns sent away because home was full", 0, &Step::spilled},
      {"held", "held", "turns that waited in the gateway", 0, &Step::held},
      {"computed_tokens", "computed", "prompt tokens of ended turns that the engine computed", 0,
       &Step::computed_tokens},
      {"failures", "failed", "failed turns", 0, &Step::failures},
      {"worst_wait_s", "worst", "the longest that one session waited for content, in sum", 0,
       &Step::worst_wait_s},
      {"fairness", "fair", "Jain's index over the sessions' tokens a second", 2, &Step::fairness},
  });
  return all;
}

const Column* find_column(std::string_view field) {
  const auto all = columns();
  const auto found = std::ranges::find(all, field, &Column::field);
  return found == all.end() ? nullptr : &*found;
}

std::string cell(const Column& column, const std::optional<double>& value) {
  return value ? fmt::format("{:.{}f}", *value, column.decimals) : "n/a";
}

std::string sessions_cell(const Step& step) {
  return step.sessions > 0 ? std::to_string(step.sessions) : "open";
}

std::optional<double> spread_of(const Arm& arm, std::size_t step, const Column& column) {
  return step < arm.spread.size() ? arm.spread[step].*column.value : std::nullopt;
}

std::string spread_cell(const Arm& arm, std::size_t step, const Column& column) {
  const auto spread = spread_of(arm, step, column);
  return spread ? "±" + cell(column, spread) : "";
}

bool has_spread(const Report& report) {
  return std::ranges::any_of(report.arms, [](const Arm& arm) {
    return std::ranges::any_of(arm.spread, [](const Step& step) {
      return std::ranges::any_of(columns(),
                                 [&](const Column& column) { return (step.*column.value).has_value(); });
    });
  });
}

}  // namespace lmw::report
