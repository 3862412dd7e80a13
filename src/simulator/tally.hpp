// Counts of one replica that the engine model doesn't keep. They start at zero with the process, as vLLM's
// do.
#pragma once

#include <array>
#include <cstdint>

#include "base/time.hpp"

namespace lmw::simulator {

// vLLM's bucket borders of time_to_first_token_seconds; +Inf is left out.
inline constexpr std::array ttft_borders{0.001, 0.005, 0.01, 0.02,  0.04,  0.06,  0.08, 0.1,
                                         0.25,  0.5,   0.75, 1.0,   2.5,   5.0,   7.5,  10.0,
                                         20.0,  40.0,  80.0, 160.0, 640.0, 2560.0};

struct Tally {
  std::int64_t prompt_tokens = 0;  // of turns whose prefill is done
  std::int64_t cached_tokens = 0;  // of these, found in the cache or the host tier
  std::int64_t loaded_tokens = 0;  // of these, from the host tier
  std::int64_t stopped = 0;        // turns that ended by themselves
  std::int64_t cut_by_length = 0;
  std::array<std::int64_t, ttft_borders.size() + 1> ttft{};  // turns per bucket, not cumulative
  double ttft_sum = 0;                                       // engine seconds

  void first_token(int prompt, int cached, int loaded, Duration waited) {
    prompt_tokens += prompt;
    cached_tokens += cached;
    loaded_tokens += loaded;
    const auto s = seconds(waited);
    std::size_t bucket = 0;
    while (bucket < ttft_borders.size() && s > ttft_borders[bucket]) ++bucket;
    ++ttft[bucket];
    ttft_sum += s;
  }
};

}  // namespace lmw::simulator
