// Where a turn goes when it has no home to go to, and when home is too full. The known rule:
//
//   load = in_flight + 8 × kv_used + recent
//
// recent: conversations homed there and active in the last 5 minutes, counted at once, so that a burst
// spreads. kv_used takes part only if every candidate has a reading of the current engine run that is younger
// than 15 s.
#pragma once

#include <optional>
#include <span>

#include "base/time.hpp"
#include "routing/conversation_table.hpp"
#include "routing/replica_set.hpp"

namespace lmw::routing {

inline constexpr Duration fresh_reading = std::chrono::seconds(15);
inline constexpr double kv_weight = 8.0;
inline constexpr int assumed_max_num_seqs = 256;  // vLLM's default on GPUs

struct PlacementView {
  const ReplicaSet& replicas;
  const ConversationTable& table;
  Instant now;
  // The home of the conversation that is being placed anew: it does not count there itself.
  std::optional<ReplicaId> without = {};
};

// What the load of a replica is made of.
struct ReplicaLoad {
  ReplicaId replica;
  int in_flight = 0;
  int recent = 0;  // conversations homed there and active
  double kv_used = 0;
  bool kv_counts = false;  // see above

  double value() const { return in_flight + (kv_counts ? kv_weight * kv_used : 0) + recent; }
};

// The loads of the first usable replicas, as many as `out` takes; how many usable ones there are.
std::size_t loads(const PlacementView& view, std::span<ReplicaLoad> out);

// A replica that has something for the turn: it is taken though its load is higher by less than `worth`, or
// by as much.
struct Attraction {
  std::optional<ReplicaId> replica = {};
  double worth = 0;
};

// The usable replica with the lowest load whose endpoint is not in `excluded`. Ties: the one that attracts,
// then fewer conversations, then the lowest id. Nothing when there is none.
std::optional<ReplicaId> least_loaded(const PlacementView& view, std::span<const EndpointId> excluded = {},
                                      Attraction attraction = {});

// Turns in flight at which a home spills: the explicit value, else max(1, max_num_seqs / 4).
int spill_threshold(const Replica& replica, std::optional<int> explicit_threshold);

}  // namespace lmw::routing
