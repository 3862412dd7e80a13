// How much of the last prompts of a conversation was found cached, in percent: the latest few.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "routing/counters.hpp"

namespace lmw::routing {

class CachedShares {
 public:
  static constexpr std::size_t limit = 16;
  static constexpr std::uint8_t unmeasured = 255;

  void add(const TokenCounts& tokens) {
    if (size_ == limit) std::shift_left(shares_.begin(), shares_.end(), 1);
    if (size_ < limit) ++size_;
    shares_[size_ - 1] = share(tokens);
  }
  // In order of time.
  std::span<const std::uint8_t> all() const { return std::span(shares_).first(size_); }

 private:
  static std::uint8_t share(const TokenCounts& tokens) {
    if (!tokens.cached || tokens.prompt.value_or(0) <= 0) return unmeasured;
    return static_cast<std::uint8_t>(std::clamp<std::int64_t>(100 * *tokens.cached / *tokens.prompt, 0, 100));
  }

  std::array<std::uint8_t, limit> shares_{};
  std::size_t size_ = 0;
};

}  // namespace lmw::routing
