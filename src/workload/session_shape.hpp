// The sizes of synthetic sessions. Tokens are those of the replica model's tokenizer, and ranges include both
// ends; a real tokenizer counts somewhat differently.
#pragma once

#include <cstdint>

#include "base/random.hpp"
#include "base/time.hpp"

namespace lmw::workload {

// Log-normal: median and 95th percentile in seconds. A median of 0 is no pause at all.
struct ThinkTime {
  double median = 0;
  double p95 = 0;

  Duration draw(Random& random) const;
};

// Sub-agents that a session starts at once after one of its turns; it goes on when all have ended. They share
// a system prompt of their own.
struct SubagentShape {
  int count = 0;
  int after_turn = 3;  // from 1
  int shared_tokens = 2000;
  int first_low = 2500, first_high = 3500;
  int new_low = 300, new_high = 500;
  int turns = 3;
};

struct SessionShape {
  int shared_tokens = 3500;
  int first_low = 7200;
  int first_high = 7500;
  int turns_low = 6;
  int turns_high = 6;
  int new_low = 360;  // of later user messages
  int new_high = 440;
  int output_max = 256;
  int output_min = 80;
  double full_output =
      0.85;  // share of turns that generate output_max; the others are between output_min and it
  ThinkTime think;
  // Some sessions are larger: their first message by a factor, and with so many turns.
  double heavy_share = 0;
  double heavy_factor = 1;
  int heavy_turns = 0;
  SubagentShape subagents;
};

// The turns of one session, one after another. They come from the seed alone.
class SessionSizes {
 public:
  struct Turn {
    int index = 0;
    int new_tokens = 0;     // of the user's message; the system prompt comes before the first
    int output_tokens = 0;  // that the engine generates
    Duration think{};       // after the turn before; the first has none
    bool last = false;
  };

  SessionSizes(const SessionShape& shape, std::uint64_t seed);

  // From index 0. Not to be called after the one that is `last`.
  Turn next();

 private:
  int draw(int low, int high) { return static_cast<int>(random_.between(low, high)); }

  SessionShape shape_;
  Random random_;
  int turns_;
  double factor_ = 1;  // of the first message
  int turn_ = 0;
};

// Of the `number`-th session (from 0) of a client. No two have the same.
std::uint64_t session_seed(std::uint64_t seed, int client, std::uint64_t number);

}  // namespace lmw::workload
