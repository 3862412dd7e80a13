// Where held turns wait until the router lets them in (routing/places.hpp).
#pragma once

#include <map>

#include "base/time.hpp"
#include "net/asio.hpp"
#include "routing/router.hpp"

namespace lmw::gateway {

class WaitingRoom {
 public:
  // Router and clock must outlive it.
  WaitingRoom(routing::Router& router, const EngineClock& clock) : router_(router), clock_(clock) {}

  // Until the ticket is let in; false: not within `most` (engine time).
  net::awaitable<bool> wait(routing::Ticket& ticket, Duration most);

  // Wakes those whom the router has let in. Call it after what may have made room; while turns are held the
  // room looks itself ten times a second.
  void wake();

 private:
  static constexpr Duration tick = std::chrono::milliseconds(100);

  routing::Router& router_;
  const EngineClock& clock_;
  std::map<routing::TurnId, net::asio::steady_timer*> waiting_;
};

}  // namespace lmw::gateway
