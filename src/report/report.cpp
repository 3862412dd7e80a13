#include "report/report.hpp"

#include <cmath>

#include "report/columns.hpp"

namespace lmw::report {

Arm combine(std::string name, std::string what, const std::vector<std::vector<Step>>& runs) {
  Arm arm{.name = std::move(name), .what = std::move(what)};
  if (runs.empty()) return arm;
  for (std::size_t i = 0; i < runs.front().size(); ++i) {
    Step mean{.sessions = runs.front()[i].sessions}, deviation = mean;
    for (const auto& column : columns()) {
      double sum = 0, squares = 0, count = 0;
      for (const auto& run : runs) {
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
