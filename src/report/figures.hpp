// The figures of a report, in order: the one list of what is drawn, here and on the web page.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace lmw::report {

struct Figure {
  std::string_view field;  // the column
  std::string_view title;
  bool logarithmic = false;
};

inline std::span<const Figure> figures() {
  static constexpr auto all = std::to_array<Figure>({
      {"ttfb_p50_s", "Time to first content byte, median (s)", true},
      {"ttfb_p95_s", "Time to first content byte, 95th percentile (s)", true},
      {"replicas_busy", "Replicas busy"},
      {"hits_pct", "Prefix hits (%)"},
      {"tokens_per_min", "Output tokens a minute"},
  });
  return all;
}

}  // namespace lmw::report
