#include "report/compare.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "report/columns.hpp"

namespace lmw::report {

namespace {

constexpr std::array<std::string_view, 7> fields{"tokens_per_min", "ttfb_mean_s",  "ttfb_p50_s", "ttfb_p95_s",
                                                 "hits_pct",       "worst_wait_s", "failures"};

const Arm* find_arm(const Report& report, const std::string& name) {
  const auto found = std::ranges::find(report.arms, name, &Arm::name);
  return found == report.arms.end() ? nullptr : &*found;
}

// The step that stands for the same load: the same place, or else the same number of sessions.
const Step* find_step(const Arm& arm, std::size_t place, int sessions) {
  if (place < arm.steps.size() && arm.steps[place].sessions == sessions) return &arm.steps[place];
  const auto found = std::ranges::find(arm.steps, sessions, &Step::sessions);
  return found == arm.steps.end() ? nullptr : &*found;
}

std::string change(const std::optional<double>& before, const std::optional<double>& after) {
  if (!before || !after || *before == 0) return "";
  return fmt::format("{:+.1f} %", 100 * (*after / *before - 1));
}

}  // namespace

Result<std::string> compare(const Report& before, const Report& after) {
  constexpr std::string_view row = "{:>8}  {:<16} {:<10} {:>10} {:>10} {:>10}\n";
  auto out = fmt::format(fmt::runtime(row), "sessions", "arm", "column", "before", "after", "change");
  bool any = false;
  for (const auto& arm : after.arms) {
    const auto* other = find_arm(before, arm.name);
    for (std::size_t i = 0; other && i < arm.steps.size(); ++i) {
      const auto* old = find_step(*other, i, arm.steps[i].sessions);
      if (!old) continue;
      any = true;
      for (const auto field : fields) {
        const auto& column = *find_column(field);
        const auto &was = old->*column.value, &is = arm.steps[i].*column.value;
        if (!was && !is) continue;
        out += fmt::format(fmt::runtime(row), arm.steps[i].sessions, arm.name, column.title,
                           cell(column, was), cell(column, is), change(was, is));
      }
    }
  }
  if (!any) return failure("the two reports have no arm with the same number of sessions in common");
  return out;
}

}  // namespace lmw::report
