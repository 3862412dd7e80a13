// Reads the Prometheus text exposition format, version 0.0.4 and 1.0.0.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace lmw::wire {

struct Sample {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string>> labels;  // values unescaped
  double value = 0;                                              // may be NaN or infinite

  // "" when there is no such label.
  std::string_view label(std::string_view name) const;
};

// The samples whose names are in `wanted`, in order; all others are skipped without being parsed further. A
// wanted line that can't be parsed, or lacks its line end, is an error with its line number: a half-read page
// must not pass as a reading. Quoted metric names (1.0.0) are never wanted: no engine has them.
Result<std::vector<Sample>> read_prometheus_text(std::string_view text,
                                                 const std::vector<std::string_view>& wanted);

}  // namespace lmw::wire
