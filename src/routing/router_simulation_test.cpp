#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "base/seeds.hpp"
#include "routing/router_fixture.hpp"

namespace lmw::routing {
namespace {

// Whatever comes, gauges return to zero and each turn ends once.
TEST(RouterSimulation, KeepsItsInvariantsOverManySeeds) {
  const auto [first, last] = seeds_or(200);
  for (auto seed = first; seed <= last; ++seed) {
    SCOPED_TRACE(testing::Message() << "LMW_SEED=" << seed);
    Random random(seed);
    Router router({}, {.conversations = 20});
    for (const auto* url : {"http://a", "http://b", "http://c"}) {
      const auto endpoint = router.replicas().endpoint(url);
      router.replicas().set_ranks(
          endpoint, random.unit() < 0.5 ? std::vector<std::string>{"0"} : std::vector<std::string>{"0", "1"});
    }
    std::vector<std::unique_ptr<Ticket>> tickets;
    Instant now{};
    std::uint64_t routed = 0;
    for (int step = 0; step < 400; ++step) {
      now += from_seconds(random.exponential(20));
      const EndpointId endpoint(static_cast<std::uint32_t>(random.between(0, 2)));
      const double what = random.unit();
      if (what < 0.5) {
        auto turn = turn_of(static_cast<std::uint64_t>(random.between(1, 40)));
        if (random.unit() < 0.2) turn.key.reset();
        if (random.unit() < 0.1) turn.rank_header = "1";
        if (auto ticket = router.route(turn, now)) {
          ++routed;
          if (random.unit() < 0.1) router.move(*ticket, now);
          tickets.push_back(std::make_unique<Ticket>(std::move(*ticket)));
        }
      } else if (what < 0.8 && !tickets.empty()) {
        const auto pick = random.between(0, static_cast<std::int64_t>(tickets.size()) - 1);
        std::swap(tickets[static_cast<std::size_t>(pick)], tickets.back());
        if (random.unit() < 0.7) tickets.back()->finish(TurnEnd::answered, {10, 5, 1}, now);
        tickets.pop_back();
      } else if (what < 0.9) {
        router.replicas()[endpoint].up = random.unit() < 0.7;
      } else if (what < 0.95) {
        router.new_run(endpoint);
      } else {
        router.settings().affinity = random.unit() < 0.8;
      }
      ASSERT_EQ(router.in_flight(), static_cast<int>(tickets.size()));
    }
    tickets.clear();
    const auto& counters = router.counters();
    ASSERT_EQ(counters.answered + counters.cancelled + counters.failed, routed);
    for (const auto& replica : router.replicas().replicas()) ASSERT_EQ(replica.in_flight, 0);
    for (const auto& endpoint : router.replicas().endpoints()) ASSERT_EQ(endpoint.unrouted_in_flight, 0);
  }
}

}  // namespace
}  // namespace lmw::routing
