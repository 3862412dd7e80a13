// What a run of several arms (ways of routing the same work) has measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lmw::report {

// One load level of one arm. Times are engine seconds. Absent: nothing was measured; shown as n/a, never as
// 0.
struct Step {
  int sessions = 0;              // agents at work at the same time
  double sessions_per_hour = 0;  // finished ones
  double tokens_per_min = 0;     // generated tokens
  std::optional<double> ttfb_p50_s;
  std::optional<double> ttfb_p95_s;
  std::optional<double> replicas_busy;  // mean number with work
  std::optional<double> hits_pct;       // prompt tokens found in the prefix cache, by the engine's counters
  std::optional<double> stayed_pct;  // turns after a conversation's first that ran where the one before did
  int failures = 0;
};

struct Arm {
  std::string name;
  std::vector<Step> steps;
};

// The q-quantile (0..1) by linear interpolation; nothing for no values.
std::optional<double> quantile(std::vector<double> values, double q);

std::string to_table(const std::vector<Arm>& arms);
// {"arms":[{"name","steps":[{"sessions",...}]}]}, a field for each member of Step; n/a is null.
std::string to_json(const std::vector<Arm>& arms);

}  // namespace lmw::report
