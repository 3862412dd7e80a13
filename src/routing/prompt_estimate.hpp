// How many tokens a prompt has, before the engine has counted it: what the conversation had, and what has
// come to it, at the bytes a token takes on this model.
#pragma once

#include <cstdint>

#include "routing/conversation_table.hpp"

namespace lmw::routing {

class PromptEstimate {
 public:
  // `known`: the conversation it belongs to, unless its old prompt is gone; null for a new one.
  double tokens(std::uint64_t bytes, const Conversation* known) const {
    if (!known || !known->last_prompt) return static_cast<double>(bytes) / bytes_per_token_;
    const auto more = bytes > known->bytes ? static_cast<double>(bytes - known->bytes) : 0.0;
    return static_cast<double>(*known->last_prompt) + more / bytes_per_token_;
  }

  void learn(std::uint64_t bytes, std::int64_t tokens) {
    if (bytes == 0 || tokens <= 0) return;
    const double ratio = static_cast<double>(bytes) / static_cast<double>(tokens);
    bytes_per_token_ += (learnt_ ? 0.05 : 1.0) * (ratio - bytes_per_token_);
    learnt_ = true;
  }

  double bytes_per_token() const { return bytes_per_token_; }

 private:
  double bytes_per_token_ = 4;
  bool learnt_ = false;
};

}  // namespace lmw::routing
