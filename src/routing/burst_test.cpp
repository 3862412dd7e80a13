// Many new conversations at once: where other balancers have sent them all to one replica.
#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "routing/router_fixture.hpp"

namespace lmw::routing {
namespace {

using namespace std::chrono_literals;

class TwoReplicas : public RouterTest {
 protected:
  TwoReplicas() : RouterTest(2) {}

  // Turns of nobody's conversations under way on a replica.
  std::vector<Ticket> work_on(std::string_view rank, int turns, Instant now) {
    TurnFacts pinned;
    pinned.rank_header = rank;
    std::vector<Ticket> tickets;
    for (int i = 0; i < turns; ++i) tickets.push_back(router_.route(pinned, now).value());
    return tickets;
  }
};

// Placing by the size of what a replica has cached sends every newcomer to the replica that has cached the
// least: one that is drowning in work that nobody shares.
TEST_F(TwoReplicas, NewConversationsGoWhereThereIsNoWorkHoweverLongItsHistory) {
  {
    const auto elsewhere = work_on("0", 300, start);
    for (std::uint64_t i = 0; i < 200; ++i) pass(turn_of(1000 + i));
  }
  ASSERT_EQ(router_.table().homed(ReplicaId(1)), 200);
  const auto later = start + 10min;
  router_.replicas().record(ReplicaId(0), {.kv_used = 0.4, .at = later});
  router_.replicas().record(ReplicaId(1), {.kv_used = 0.0, .at = later});
  const auto heavy = work_on("0", 40, later);
  std::vector<Ticket> fresh;
  for (std::uint64_t i = 0; i < 20; ++i) {
    fresh.push_back(router_.route(turn_of(5000 + i), later).value());
    EXPECT_EQ(fresh.back().decision().replica, ReplicaId(1)) << i;
  }
  EXPECT_EQ(replica(1).in_flight, 20);
}

TEST_F(TwoReplicas, ConversationsDoNotRunAfterTheReplicaThatIsEmptiestAtTheMoment) {
  std::vector<std::optional<ReplicaId>> homes;
  for (std::uint64_t i = 0; i < 20; ++i) homes.push_back(pass(turn_of(i)).replica);
  const auto heavy = work_on("0", 10, start);
  for (std::uint64_t i = 0; i < 20; ++i) EXPECT_EQ(pass(turn_of(i)).replica, homes[i]) << i;
}

TEST(Burst, OfEqualConversationsDiffersByAtMostOneBetweenReplicas) {
  for (std::uint64_t count : {1, 3, 15, 16, 17, 41}) {
    Router router({}, {});
    const auto endpoint = router.replicas().endpoint("http://127.0.0.1:8000");
    router.replicas().set_ranks(endpoint, {"0", "1", "2", "3"});
    router.replicas()[endpoint].up = true;
    std::vector<Ticket> tickets;
    std::map<ReplicaId, int> placed;
    for (std::uint32_t i = 0; i < 4; ++i) placed[ReplicaId(i)] = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      tickets.push_back(router.route(turn_of(i), start).value());
      ++placed[*tickets.back().decision().replica];
    }
    const auto [least, most] =
        std::ranges::minmax_element(placed, {}, [](const auto& each) { return each.second; });
    EXPECT_LE(most->second - least->second, 1) << count << " conversations";
  }
}

}  // namespace
}  // namespace lmw::routing
