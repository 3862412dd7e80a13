// Shared by the tests of this folder: a replica small enough to compute by hand.
#pragma once

#include <numeric>
#include <vector>

#include "replica/engine.hpp"
#include "replica/profile.hpp"
#include "replica/scheduler.hpp"
#include "replica/tokens.hpp"

namespace lmw::replica::testing {

inline constexpr int kBlock = 4;

// Costs are powers of two, so that times are exact.
inline Profile tiny_profile() {
  return {.name = "tiny",
          .cost = {.base = 1, .prefill = 0.125, .attn = 1.0 / 128, .seq = 0.25, .kvread = 1.0 / 64},
          .slow = {},
          .kv_tokens = 64 * kBlock,
          .block_size = kBlock,
          .max_num_seqs = 16,
          .max_num_batched_tokens = 64,
          .max_model_len = 256,
          .network = {}};
}

inline Instant at(double seconds_since_start) { return Instant(from_seconds(seconds_since_start)); }

// Tokens that no other conversation has.
inline std::vector<Token> conversation(std::uint32_t number, std::size_t count) {
  std::vector<Token> tokens(count);
  std::iota(tokens.begin(), tokens.end(), number * 100'000);
  return tokens;
}

// `tokens` are the prompt; the output goes on with the tokens that conversation() would have next.
inline Request request(RequestId id, std::vector<Token> tokens, int output) {
  Request made{
      .id = id, .prompt_tokens = static_cast<int>(tokens.size()), .output_tokens = output, .block_keys = {}};
  for (int i = 0; i < output; ++i) tokens.push_back(tokens.back() + 1);
  made.block_keys = block_keys(tokens, kBlock);
  return made;
}

// A request of a conversation of its own.
inline Request request(RequestId id, int prompt, int output) {
  return request(id, conversation(static_cast<std::uint32_t>(id), static_cast<std::size_t>(prompt)), output);
}

// Runs a scheduler step by step and says what came of it.
struct Stepper {
  explicit Stepper(Profile profile = tiny_profile(), int replica = 0) : scheduler(profile, replica) {}

  // The length of the step in seconds, 0 when there was nothing to do.
  double step() {
    events.clear();
    const auto length = scheduler.begin_step(now);
    if (!length) return 0;
    now += *length;
    scheduler.end_step(now, events);
    return seconds(*length);
  }

  // Ids of the requests that got a token in the last step.
  std::vector<RequestId> tokens() const { return of(Event::Kind::token); }
  std::vector<RequestId> finished() const { return of(Event::Kind::finished); }

  std::vector<RequestId> of(Event::Kind kind) const {
    std::vector<RequestId> ids;
    for (const Event& event : events) {
      if (event.kind == kind) ids.push_back(event.id);
    }
    return ids;
  }

  // Runs to the end of all work; all events of all steps.
  std::vector<Event> finish() {
    std::vector<Event> all;
    while (step() > 0) all.insert(all.end(), events.begin(), events.end());
    return all;
  }

  // Cached tokens of the only request.
  int run_alone(Request only) {
    scheduler.add(std::move(only));
    return finish().at(0).cached_tokens;
  }

  Scheduler scheduler;
  Instant now{};
  std::vector<Event> events;
};

inline Profile with_blocks(int blocks) {
  Profile profile = tiny_profile();
  profile.kv_tokens = blocks * kBlock;
  return profile;
}

inline Profile with_budget(int tokens) {
  Profile profile = tiny_profile();
  profile.max_num_batched_tokens = tokens;
  return profile;
}

}  // namespace lmw::replica::testing
