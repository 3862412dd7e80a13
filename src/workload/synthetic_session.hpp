// Synthetic agent sessions, shaped like the workload of a published measurement: a system prompt that all
// sessions share, a long first message of their own, then a few short turns, each over the whole conversation
// so far. As text for HTTP; synthetic_plan.hpp has the same sessions as plain sizes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/random.hpp"
#include "workload/session_shape.hpp"

namespace lmw::workload {

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
    Duration think{};    // after the turn before
    bool last = false;
  };

  // Sizes come from the seed alone and words from seed and salt: arms with different salts do equal work.
  SyntheticSession(const SessionShape& shape, std::uint64_t seed, std::string_view salt);

  // The next turn, from index 0. Not to be called after the one that is `last`.
  Turn next();

 private:
  SessionSizes sizes_;
  Random words_;
};

}  // namespace lmw::workload
