#include "routing/placement.hpp"

#include <algorithm>
#include <tuple>

namespace lmw::routing {

namespace {

bool is_candidate(const PlacementView& view, ReplicaId id, std::span<const ReplicaId> excluded) {
  return view.replicas.usable(id) && std::ranges::find(excluded, id) == excluded.end();
}

bool has_fresh_reading(const Replica& replica, Instant now) {
  return replica.reading && now - replica.reading->at < fresh_reading;
}

}  // namespace

std::optional<ReplicaId> least_loaded(const PlacementView& view, std::span<const ReplicaId> excluded,
                                      std::optional<ReplicaId> preferred) {
  bool kv_counts = true;
  for (const auto& replica : view.replicas.replicas()) {
    if (is_candidate(view, replica.id, excluded)) kv_counts &= has_fresh_reading(replica, view.now);
  }

  std::optional<ReplicaId> best;
  std::tuple<double, int, bool, ReplicaId> lowest;
  for (const auto& replica : view.replicas.replicas()) {
    if (!is_candidate(view, replica.id, excluded)) continue;
    const double kv = kv_counts ? kv_weight * replica.reading->kv_used : 0;
    const std::tuple rank(replica.in_flight + kv + view.table.recent(replica.id),
                          view.table.homed(replica.id), replica.id != preferred, replica.id);
    if (best && rank >= lowest) continue;
    best = replica.id;
    lowest = rank;
  }
  return best;
}

int spill_threshold(const Replica& replica, std::optional<int> explicit_threshold) {
  if (explicit_threshold) return *explicit_threshold;
  const int learnt = replica.learnt_max_num_seqs > 0 ? replica.learnt_max_num_seqs : assumed_max_num_seqs;
  return std::max(1, replica.max_num_seqs.value_or(learnt) / 4);
}

}  // namespace lmw::routing
