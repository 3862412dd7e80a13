#include "report/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "report/columns.hpp"

namespace lmw::report {

namespace {

constexpr std::array<std::string_view, 7> fields{"tokens_per_min", "ttfb_mean_s",  "ttfb_p50_s", "ttfb_p95_s",
                                                 "hits_pct",       "worst_wait_s", "failures"};

constexpr std::string_view row = "{:>8}  {:<16} {:<10} {:>10} {:>10} {:>10}";

const Arm* find_arm(const Report& report, const std::string& name) {
  const auto found = std::ranges::find(report.arms, name, &Arm::name);
  return found == report.arms.end() ? nullptr : &*found;
}

// The step that stands for the same load: the same place, or else the same number of sessions.
std::optional<std::size_t> find_step(const Arm& arm, std::size_t place, int sessions) {
  if (place < arm.steps.size() && arm.steps[place].sessions == sessions) return place;
  const auto found = std::ranges::find(arm.steps, sessions, &Step::sessions);
  if (found == arm.steps.end()) return std::nullopt;
  return static_cast<std::size_t>(found - arm.steps.begin());
}

// A step of an arm in one of the reports.
struct Side {
  const Arm& arm;
  std::size_t step;

  std::optional<double> value(const Column& column) const { return arm.steps[step].*column.value; }
  std::optional<double> spread(const Column& column) const { return spread_of(arm, step, column); }
};

std::string change(const std::optional<double>& before, const std::optional<double>& after) {
  if (!before || !after || *before == 0) return "";
  return fmt::format("{:+.1f} %", 100 * (*after / *before - 1));
}

bool is_within_spread(const Column& column, const Side& before, const Side& after) {
  const auto was = before.value(column), is = after.value(column);
  const auto one = before.spread(column), other = after.spread(column);
  if (!was || !is || (!one && !other)) return false;
  return std::abs(*is - *was) <= std::hypot(one.value_or(0), other.value_or(0));
}

void add_rows(std::string& out, const Side& before, const Side& after) {
  for (const auto field : fields) {
    const auto& column = *find_column(field);
    const auto was = before.value(column), is = after.value(column);
    if (!was && !is) continue;
    out += fmt::format(fmt::runtime(row), after.arm.steps[after.step].sessions, after.arm.name, column.title,
                       cell(column, was), cell(column, is), change(was, is));
    out += is_within_spread(column, before, after) ? "  within the spread\n" : "\n";
  }
}

}  // namespace

Result<std::string> compare(const Report& before, const Report& after) {
  auto out = fmt::format(fmt::runtime(row), "sessions", "arm", "column", "before", "after", "change") + "\n";
  bool any = false;
  for (const auto& arm : after.arms) {
    const auto* other = find_arm(before, arm.name);
    for (std::size_t i = 0; other && i < arm.steps.size(); ++i) {
      const auto old = find_step(*other, i, arm.steps[i].sessions);
      if (!old) continue;
      any = true;
      add_rows(out, {*other, *old}, {arm, i});
    }
  }
  if (!any) return failure("the two reports have no arm with the same number of sessions in common");
  return out;
}

}  // namespace lmw::report
