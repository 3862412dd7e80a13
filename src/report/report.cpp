#include "report/report.hpp"

#include <algorithm>
#include <cmath>

#include "report/columns.hpp"

namespace lmw::report {

Timeline timeline_of(std::string arm, int sessions, Window window, const std::vector<Turn>& turns) {
  Timeline timeline{.arm = std::move(arm), .sessions = sessions, .window = window, .turns = {}};
  for (const auto& turn : turns) {
    if (turn.sent < window.to && turn.done.value_or(window.to) > window.from) timeline.turns.push_back(turn);
  }
  return timeline;
}

Arm combine(std::string name, std::string what, const std::vector<std::vector<Step>>& runs) {
  Arm arm{.name = std::move(name), .what = std::move(what)};
  const auto longest = std::ranges::max_element(runs, {}, &std::vector<Step>::size);
  if (longest == runs.end()) return arm;
  for (std::size_t i = 0; i < longest->size(); ++i) {
    Step mean{.sessions = (*longest)[i].sessions}, deviation = mean;
    for (const auto& column : columns()) {
      double sum = 0, squares = 0, count = 0;
      for (const auto& run : runs) {
        if (i >= run.size()) continue;
        if (const auto& value = run[i].*column.value) {
          sum += *value;
          squares += *value * *value;
          ++count;
        }
      }
      if (count == 0) continue;
      mean.*column.value = sum / count;
      if (count > 1) {
        deviation.*column.value = std::sqrt(std::max(0.0, (squares - sum * sum / count) / (count - 1)));
      }
    }
    arm.steps.push_back(mean);
    if (runs.size() > 1) arm.spread.push_back(deviation);
  }
  return arm;
}

}  // namespace lmw::report
