// Synthetic agent sessions, shaped like the workload of a published measurement: a system prompt that all
// sessions share, a long first message of their own, then a few short turns, each over the whole conversation
// so far.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/random.hpp"

namespace lmw::workload {

// Sizes in tokens of the replica model's tokenizer; ranges include both ends. A real tokenizer counts
// somewhat differently.
struct SessionShape {
  int shared_tokens = 3500;
  int first_low = 7200;
  int first_high = 7500;
  int turns = 6;
  int new_low = 360;  // of later user messages
  int new_high = 440;
  int output_max = 256;
  int output_min = 80;
  double full_output =
      0.85;  // share of turns that generate output_max; the others are between output_min and it
};

// Text of exactly `count` tokens: each word is a space and 1..6 lower-case letters, which is one token there.
std::string random_words(int count, Random& random);

// The system prompt of all sessions of one salt. Different salts give entirely different texts, in the
// sessions too, so that one arm of a benchmark can't find another's cache.
std::string system_prompt(const SessionShape& shape, std::string_view salt);

class SyntheticSession {
 public:
  struct Turn {
    int index = 0;
    std::string new_user_text;
    int max_tokens = 0;  // to ask for, and what an engine that ignores end-of-text generates
    bool last = false;
  };

  // Sizes come from the seed alone and words from seed and salt: arms with different salts do equal work.
  SyntheticSession(const SessionShape& shape, std::uint64_t seed, std::string_view salt);

  // The next turn, from index 0. Not to be called after the one that is `last`.
  Turn next();

 private:
  int draw(int low, int high) { return static_cast<int>(sizes_.between(low, high)); }

  SessionShape shape_;
  Random sizes_;
  Random words_;
  int turn_ = 0;
};

}  // namespace lmw::workload
