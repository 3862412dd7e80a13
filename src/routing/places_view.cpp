// What those see who look.
#include <algorithm>

#include "routing/places.hpp"

namespace lmw::routing {

std::optional<ReplicaId> Places::waits_for(const Waiter& waiter) const {
  const auto& c = *waiter.conv;
  if (has_home(c) || (c.place && replicas_.usable(*c.home))) return c.home;
  std::optional<ReplicaId> roomiest;
  std::pair<bool, double> most;
  for (const auto& replica : replicas_.replicas()) {
    if (!replicas_.usable(replica.id)) continue;
    const std::pair has(has_slot(replica), room(c, waiter.request, replica.id).left);
    if (!roomiest || has > most) roomiest = replica.id, most = has;
  }
  return roomiest;
}

std::vector<Waiting> Places::waiting_turns(Instant now) const {
  std::vector<Waiting> all;
  in_order(now, [&](const Waiter& waiter) {
    auto& shown = all.emplace_back(Waiting{.turn = waiter.turn, .position = all.size() + 1});
    shown.expected_wait = expected_wait(shown.position);
    shown.needs = own(waiter.request);
    shown.replica = waits_for(waiter);
    if (!shown.replica) return true;
    const auto& home = home_of(*shown.replica);
    shown.room = std::max(0.0, room(*waiter.conv, waiter.request, *shown.replica).left + shown.needs);
    shown.running = home.running;
    shown.pausing = home.places - home.running;
    return true;
  });
  return all;
}

// Of the turns sent, at most the share that may wait comes out of the queue.
std::optional<Duration> Places::expected_wait(std::size_t position) const {
  if (sends_a_second_ < 1.0 / 60) return std::nullopt;
  return from_seconds(static_cast<double>(position) / (settings_.wait_share * sends_a_second_));
}

}  // namespace lmw::routing
