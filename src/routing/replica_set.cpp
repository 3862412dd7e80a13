#include "routing/replica_set.hpp"

#include <algorithm>

namespace lmw::routing {

std::optional<int> Ceiling::observe(const Reading& reading) {
  const bool held_up = reading.waiting > 0 && reading.kv_used < full_kv && reading.running >= least;
  if (!held_up) {
    times_ = 0;
    return std::nullopt;
  }
  times_ = reading.running == running_ ? times_ + 1 : 1;
  running_ = reading.running;
  return times_ >= readings ? std::optional(running_) : std::nullopt;
}

EndpointId ReplicaSet::endpoint(const std::string& url) {
  const auto known = std::ranges::find(endpoints_, url, &Endpoint::url);
  if (known != endpoints_.end()) return known->id;
  const EndpointId id(static_cast<std::uint32_t>(endpoints_.size()));
  endpoints_.push_back({.id = id, .url = url});
  return id;
}

void ReplicaSet::set_ranks(EndpointId endpoint, const std::vector<std::string>& labels) {
  auto& ids = endpoints_[endpoint.value()].replicas;
  for (std::size_t rank = 0; rank < labels.size(); ++rank) {
    if (rank == ids.size()) {
      ids.emplace_back(static_cast<std::uint32_t>(replicas_.size()));
      replicas_.push_back({.id = ids.back(), .endpoint = endpoint, .rank = static_cast<int>(rank)});
    }
    auto& replica = replicas_[ids[rank].value()];
    replica.label = labels[rank];
    replica.present = true;
  }
  for (std::size_t rank = labels.size(); rank < ids.size(); ++rank)
    replicas_[ids[rank].value()].present = false;
}

int ReplicaSet::ranks(EndpointId endpoint) const {
  const auto& ids = (*this)[endpoint].replicas;
  return static_cast<int>(std::ranges::count_if(ids, [this](ReplicaId id) { return (*this)[id].present; }));
}

bool ReplicaSet::any_up() const { return std::ranges::any_of(endpoints_, &Endpoint::up); }

void ReplicaSet::record(ReplicaId id, const Reading& reading) {
  auto& replica = (*this)[id];
  replica.reading = reading;
  if (const auto ceiling = replica.ceiling.observe(reading)) {
    replica.learnt_max_num_seqs = std::max(replica.learnt_max_num_seqs.value_or(0), *ceiling);
  }
}

}  // namespace lmw::routing
