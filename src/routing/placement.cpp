#include "routing/placement.hpp"

#include <algorithm>
#include <tuple>

namespace lmw::routing {

namespace {

bool is_candidate(const PlacementView& view, const Replica& replica, std::span<const EndpointId> excluded) {
  return view.replicas.usable(replica.id) && std::ranges::find(excluded, replica.endpoint) == excluded.end();
}

bool has_fresh_reading(const Replica& replica, Instant now) {
  return replica.reading && now - replica.reading->at < fresh_reading;
}

// Whether kv_used takes part.
bool all_read(const PlacementView& view, std::span<const EndpointId> excluded) {
  return std::ranges::all_of(view.replicas.replicas(), [&](const Replica& replica) {
    return !is_candidate(view, replica, excluded) || has_fresh_reading(replica, view.now);
  });
}

ReplicaLoad load_of(const PlacementView& view, const Replica& replica, bool kv_counts) {
  return {.replica = replica.id,
          .in_flight = replica.in_flight,
          .recent = view.table.recent(replica.id) - (replica.id == view.without ? 1 : 0),
          .kv_used = replica.reading ? replica.reading->kv_used : 0,
          .kv_counts = kv_counts};
}

}  // namespace

std::size_t loads(const PlacementView& view, std::span<ReplicaLoad> out) {
  std::size_t usable = 0;
  bool kv_counts = true;
  for (const auto& replica : view.replicas.replicas()) {
    if (!view.replicas.usable(replica.id)) continue;
    if (usable < out.size()) out[usable] = load_of(view, replica, true);
    kv_counts &= has_fresh_reading(replica, view.now);
    ++usable;
  }
  for (auto& load : out.first(std::min(usable, out.size()))) load.kv_counts = kv_counts;
  return usable;
}

std::optional<ReplicaId> least_loaded(const PlacementView& view, std::span<const EndpointId> excluded,
                                      Attraction attraction) {
  const bool kv_counts = all_read(view, excluded);
  std::optional<ReplicaId> best;
  std::tuple<double, bool, int, ReplicaId> lowest;
  for (const auto& replica : view.replicas.replicas()) {
    if (!is_candidate(view, replica, excluded)) continue;
    const int own = replica.id == view.without ? 1 : 0;
    const bool attracts = replica.id == attraction.replica;
    const double worth = attracts ? attraction.worth : 0;
    const std::tuple rank(load_of(view, replica, kv_counts).value() - worth, !attracts,
                          view.table.homed(replica.id) - own, replica.id);
    if (best && rank >= lowest) continue;
    best = replica.id;
    lowest = rank;
  }
  return best;
}

int spill_threshold(const Replica& replica, std::optional<int> explicit_threshold) {
  if (explicit_threshold) return *explicit_threshold;
  const int learnt = replica.learnt_max_num_seqs.value_or(assumed_max_num_seqs);
  return std::max(1, replica.max_num_seqs.value_or(learnt) / 4);
}

}  // namespace lmw::routing
