// The last turns of a pool, whichever conversation they were of: where each went, why, and what it found.
#pragma once

#include <deque>
#include <optional>

#include "base/time.hpp"
#include "routing/cache_account.hpp"
#include "routing/counters.hpp"
#include "routing/ids.hpp"
#include "routing/shadow.hpp"
#include "routing/why.hpp"

namespace lmw::routing {

struct TurnRecord {
  std::optional<ConversationKey> conversation;
  Outcome outcome = Outcome::balanced;
  EndpointId endpoint;
  std::optional<ReplicaId> replica;  // nothing: the engine chose
  Instant sent{};
  Instant ended{};
  std::optional<Duration> ttfb;
  TurnEnd end = TurnEnd::answered;
  TokenCounts tokens;
  std::optional<CacheAccount> account;
  Why why;
  std::optional<Counterfactual> engine;  // what the engine's own balancer would have come to
};

class TurnLog {
 public:
  static constexpr std::size_t limit = 4096;  // the oldest is forgotten first

  void add(const TurnRecord& turn) {
    if (turns_.size() == limit) turns_.pop_front();
    turns_.push_back(turn);
  }
  // In order of their end.
  const std::deque<TurnRecord>& turns() const { return turns_; }

 private:
  std::deque<TurnRecord> turns_;
};

}  // namespace lmw::routing
