// The costs of a replica from measured times: replica/profile.hpp has the formula. Pure.
#pragma once

#include <span>

#include "base/result.hpp"
#include "replica/profile.hpp"

namespace lmw::bench {

// So many engine steps that compute this in all, so many prompt tokens read, and so many times over the
// network, took so long.
struct Observation {
  int steps = 1;
  replica::StepWork work;
  int tokenized = 0;
  int network = 0;  // passages, 2 for there and back
  double seconds = 0;
};

struct Fit {
  replica::StepCost cost;
  double tokenize = 0;     // s a prompt token
  double network = 0;      // s, one way
  double worst_error = 0;  // of an observation, as a share of what was measured
};

// The costs of which the observations differ least from what was measured, each by its share of it; none is
// negative (least squares, by coordinate descent). An error for fewer observations than there are costs.
Result<Fit> fit(std::span<const Observation> observations);

}  // namespace lmw::bench
