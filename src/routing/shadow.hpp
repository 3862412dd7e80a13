// Where the engine's own balancer would have sent each turn, and what it would have found cached there: a
// shadow of the pool in which nobody routes. It is an estimate:
//
// - The balancer is that of vLLM 0.27 and later with as many API servers as replicas, which is its default:
// each
//   sends to the replica with the fewest requests waiting or running, or, where that is more, its own in
//   flight there times the servers. Requests reach the servers at random. A turn takes as long as it does in
//   truth.
// - A replica keeps the conversations it has had last, whole, as many as its KV cache holds; what
//   conversations share counts once.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "routing/counters.hpp"
#include "routing/ids.hpp"
#include "routing/replica_set.hpp"

namespace lmw::routing {

// A turn in the shadow, from its start to its end.
struct ShadowTurn {
  std::optional<ReplicaId> replica;  // nothing: it is not followed
  std::optional<ConversationKey> conversation;
  bool first = false;                // of its conversation
  bool begins = false;               // and what of it is cached is what conversations share
  bool changed = false;              // its prompt differs from the last one before that one's end
  std::uint64_t head = 0;            // of its prompt: what conversations share
  std::int64_t context = 0;          // of its conversation before it, tokens
  std::size_t server = 0;            // the API server it went through
  std::optional<std::int64_t> kept;  // of these on the replica, once its prompt has been read
};

// What a turn that has ended would have found.
struct Counterfactual {
  ReplicaId replica;
  std::int64_t cached = 0;  // tokens
  std::int64_t saved = 0;   // found in truth beyond that; below 0: it would have found more
};

class Shadow {
 public:
  static constexpr std::size_t most_kept = 256;  // conversations of a replica

  explicit Shadow(const ReplicaSet& replicas) : replicas_(replicas) {}

  // Sends it to the replica that the balancer chooses.
  ShadowTurn send(ShadowTurn turn);
  // Its prompt has been read. What others have pushed out while it waited was not found.
  void read(ShadowTurn& turn);
  // Nothing where there is nothing to compare: a first turn, one whose prompt has changed before its end, or
  // one that the engine did not measure.
  std::optional<Counterfactual> end(ShadowTurn turn, const TokenCounts& tokens);
  // The replica's cache is gone.
  void forget(ReplicaId replica);

 private:
  struct Kept {
    ConversationKey conversation;
    std::uint64_t head = 0;
    std::int64_t tokens = 0;  // from the begin of its prompt on
  };

  void grow();
  void keep(ReplicaId replica, const Kept& what);
  std::int64_t own(const Kept& kept) const;
  std::int64_t shared(std::uint64_t head) const;
  void learn(std::uint64_t head, std::int64_t cached);

  static constexpr std::size_t max_heads = 1024;  // beyond it all are learnt anew

  const ReplicaSet& replicas_;
  // By ReplicaId, each for all replicas there are; see grow().
  std::vector<int> in_flight_;
  std::vector<std::vector<int>> by_server_;           // of these, first by API server
  std::vector<std::vector<Kept>> kept_;               // the last used at the end
  std::unordered_map<std::uint64_t, double> shared_;  // by head: tokens that a first turn finds
  std::uint64_t sent_ = 0;
};

}  // namespace lmw::routing
