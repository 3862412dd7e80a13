// Where the engine's own balancer would have sent each turn, and what it would have found cached there: a
// shadow of the pool in which nobody routes. It is an estimate, and kind to the engine:
//
// - Its balancer is that of vLLM 0.27 and later, with an up-to-date view: the fewest requests waiting or
// running,
//   where the scan for it starts at another replica each time. A turn takes as long as it does in truth.
// - Only new tokens push out old ones. A prefix that is used again costs the others nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "routing/counters.hpp"
#include "routing/ids.hpp"
#include "routing/replica_set.hpp"

namespace lmw::routing {

// Where one conversation has been in the shadow.
class ShadowTrail {
 public:
  static constexpr std::size_t limit = 8;  // replicas; the one it left longest ago is forgotten first

  struct Visit {
    ReplicaId replica;
    std::int64_t context = 0;  // tokens that the replica has had of it
    std::int64_t written = 0;  // tokens that the replica had computed by then, of all conversations
  };
  const Visit* find(ReplicaId replica) const;
  void add(const Visit& visit);
  bool empty() const { return size_ == 0; }

 private:
  std::array<Visit, limit> visits_;  // in order of time
  std::size_t size_ = 0;
};

// A turn in the shadow, from its start to its end.
struct ShadowTurn {
  std::optional<ReplicaId> replica;  // nothing: it is not followed
  std::int64_t kept = 0;             // tokens of its conversation there
  bool first = false;                // of its conversation
  std::uint64_t head = 0;            // of its prompt: what conversations share
};

// What a turn that has ended would have found.
struct Counterfactual {
  ReplicaId replica;
  std::int64_t cached = 0;  // tokens
  std::int64_t saved = 0;   // found in truth beyond that; below 0: it would have found more
};

class Shadow {
 public:
  // The replica with the fewest turns in flight. `trail`: of the turn's conversation; null: it has none yet.
  ShadowTurn send(const ReplicaSet& replicas, const ShadowTrail* trail, std::uint64_t head);
  // Nothing where there is nothing to compare: a first turn, or one that the engine did not measure.
  std::optional<Counterfactual> end(const ShadowTurn& turn, const TokenCounts& tokens, ShadowTrail* trail);
  // The replica's cache is gone.
  void forget(ReplicaId replica);

 private:
  struct State {
    int in_flight = 0;
    std::int64_t written = 0;
  };
  State& state(ReplicaId replica);
  std::int64_t shared(std::uint64_t head) const;
  void learn(std::uint64_t head, std::int64_t cached);

  static constexpr std::size_t max_heads = 1024;  // beyond it all are learnt anew

  std::vector<State> states_;                         // by ReplicaId
  std::unordered_map<std::uint64_t, double> shared_;  // by head: tokens that a first turn finds
  std::size_t scan_ = 0;
};

}  // namespace lmw::routing
