// Agents in a closed loop on a modelled engine, in virtual time. What routes is a function: the product's
// router, or a rule to compare it with.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/time.hpp"
#include "replica/engine.hpp"

namespace lmw::simulation {

struct Load {
  int sessions = 26;
  int first_tokens = 50'000;  // of a session's first prompt
  int new_tokens = 1'000;     // of each later turn
  int output_tokens = 300;
  int turns = 8;     // then a new session takes its place
  Duration think{};  // between two turns
};

struct Outcome {
  double hits = 0;  // share of prompt tokens found in the cache, in the last quarter of the run
  std::uint64_t turns = 0;
  std::map<int, int> turns_by_replica;
};

// Chooses the replica of a session's turn; told of each turn's end.
struct Policy {
  std::function<int(std::uint64_t session, Instant now)> route;
  std::function<void(std::uint64_t session, int prompt, int cached, int generated, Instant now)> ended;
};

Outcome run(const replica::EngineOptions& options, const Load& load, Duration span, const Policy& policy);

}  // namespace lmw::simulation
