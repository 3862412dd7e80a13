// For tests: a router with places before two replicas.
#pragma once

#include "routing/router_fixture.hpp"

namespace lmw::routing {

using namespace std::chrono_literals;

// Replicas of 10,000 KV tokens; bodies of 4 bytes a token.
class RouterPlaces : public RouterTest {
 protected:
  RouterPlaces() : RouterTest(2) {
    router_.settings().admission = Admission::automatic;
    for (std::uint32_t id = 0; id < 2; ++id) replica(id).kv_capacity_tokens = 10'000;
  }

  TurnFacts asks(std::uint64_t conversation, std::uint64_t tokens) const {
    auto turn = turn_of(conversation);
    turn.key->group = GroupKey(conversation);
    turn.bytes = 4 * tokens;
    turn.head = 1;
    return turn;
  }
  Ticket send(std::uint64_t conversation, std::uint64_t tokens, Instant now = start) {
    return router_.route(asks(conversation, tokens), now).value();
  }
  static void finish(Ticket& ticket, std::int64_t prompt, std::int64_t cached, Instant now) {
    ticket.finish(TurnEnd::answered, {prompt, cached, 100}, now);
  }
};

}  // namespace lmw::routing
