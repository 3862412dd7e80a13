// What those see who look.
#include <algorithm>

#include "routing/places.hpp"

namespace lmw::routing {

std::optional<ReplicaId> Places::waits_for(const Conv& asks, const PlaceRequest& request) const {
  if (asks.home && replicas_.usable(*asks.home) && (asks.place || kept(asks) > chunk())) return asks.home;
  std::optional<ReplicaId> roomiest;
  double most = 0;
  for (const auto& replica : replicas_.replicas()) {
    if (!replicas_.usable(replica.id)) continue;
    const double left = room(asks, request, replica.id, nullptr).left;
    if (!roomiest || left > most) roomiest = replica.id, most = left;
  }
  return roomiest;
}

std::vector<Waiting> Places::waiting_turns(Instant now) const {
  std::vector<Waiting> all;
  for (const auto waiter : in_order(now)) {
    const auto& c = convs_.at(waiter->request.conversation);
    auto& shown = all.emplace_back(Waiting{.turn = waiter->turn, .position = all.size() + 1});
    shown.expected_wait = expected_wait(shown.position);
    shown.needs = own(waiter->request);
    shown.replica = waits_for(c, waiter->request);
    if (!shown.replica) continue;
    shown.room = std::max(0.0, room(c, waiter->request, *shown.replica, nullptr).left + shown.needs);
    const auto replica = learnt_.find(*shown.replica);
    if (replica == learnt_.end()) continue;
    for (const auto key : replica->second.recent) {
      const auto& other = convs_.at(key);
      if (other.place) ++(other.in_flight > 0 ? shown.running : shown.pausing);
    }
  }
  return all;
}

// Of the turns sent, at most the share that may wait comes out of the queue.
std::optional<Duration> Places::expected_wait(std::size_t position) const {
  if (sends_a_second_ < 1.0 / 60) return std::nullopt;
  return from_seconds(static_cast<double>(position) / (settings_.wait_share * sends_a_second_));
}

int Places::places(ReplicaId replica) const {
  const auto found = learnt_.find(replica);
  if (found == learnt_.end()) return 0;
  return static_cast<int>(
      std::ranges::count_if(found->second.recent, [&](auto key) { return convs_.at(key).place; }));
}

}  // namespace lmw::routing
