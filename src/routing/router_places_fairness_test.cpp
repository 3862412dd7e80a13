// No conversation starves, and none is put off for nothing.
#include <deque>

#include "routing/router_places_fixture.hpp"

namespace lmw::routing {
namespace {

TEST_F(RouterPlaces, WhoHasWaitedTooLongGetsTheNextRoom) {
  router_.settings().places.wait_share = 0.01;  // the budget lets nobody else wait
  std::deque<Ticket> busy;
  busy.push_back(send(1, 8'000));
  busy.push_back(send(2, 8'000));
  auto waiting = send(3, 8'000);
  auto now = start;
  for (int turn = 0; turn < 200 && waiting.is_held(); ++turn) {
    now += 1s;
    for (std::uint64_t key = 1; key <= 2 && waiting.is_held(); ++key) {
      finish(busy.front(), 8'000, turn == 0 ? 0 : 7'000, now);
      busy.pop_front();
      busy.push_back(send(key, 8'000, now));
    }
  }
  EXPECT_FALSE(waiting.is_held());
  EXPECT_GE(now - start, 120s);
  EXPECT_LE(now - start, 125s);
}

// As of a program all of whose requests have one id.
TEST_F(RouterPlaces, AConversationThatIsNeverIdleDoesNotKeepItsPlaceForEver) {
  const auto other = send(9, 9'500);  // the other replica is full
  std::deque<Ticket> running, held;
  running.push_back(send(1, 8'000));
  auto waiting = send(2, 8'000);
  auto now = start;
  while (waiting.is_held() && now < start + 200s) {
    now += 1s;
    held.push_back(send(1, 8'000, now));
    while (!held.empty() && !held.front().is_held()) {
      running.push_back(std::move(held.front()));
      held.pop_front();
    }
    if (running.empty()) continue;
    finish(running.front(), 8'000, now == start + 1s ? 0 : 7'000, now);
    running.pop_front();
  }
  EXPECT_GE(now - start, 120s);
  EXPECT_LE(now - start, 125s);
}

TEST_F(RouterPlaces, NobodyLosesAPlaceWhereOnlyASlotIsMissing) {
  const auto other = send(9, 9'500);  // the other replica is full
  auto one = send(1, 3'000);
  const auto home = *one.decision().replica;
  router_.replicas()[home].max_num_seqs = 2;
  auto two = send(2, 3'000), waiting = send(3, 3'000);
  ASSERT_TRUE(waiting.is_held());
  router_.replicas()[home].max_num_seqs = 1;
  finish(one, 3'000, 0, start + 121s);
  EXPECT_TRUE(waiting.is_held());
  EXPECT_EQ(router_.places().places(home), 2);
}

TEST_F(RouterPlaces, WhoWaitsForASlotAloneKeepsItsPlace) {
  const auto other = send(9, 9'500);  // the other replica is full
  auto one = send(1, 3'000);
  const auto home = *one.decision().replica;
  auto two = send(2, 3'000);
  finish(two, 3'000, 0, start);
  router_.replicas()[home].max_num_seqs = 1;
  auto again = send(2, 3'000, start + 1ms);
  EXPECT_TRUE(again.is_held());
  EXPECT_EQ(router_.places().places(home), 2);
  EXPECT_EQ(router_.counters().held.count(), 0u);
  finish(one, 3'000, 0, start + 2ms);
  EXPECT_FALSE(again.is_held());
}

TEST_F(RouterPlaces, ASessionWithManySubAgentsDoesNotHoldUpOthers) {
  auto one = send(1, 8'000), two = send(2, 8'000);
  std::vector<Ticket> agents;
  for (std::uint64_t agent = 10; agent < 30; ++agent) {
    auto turn = asks(agent, 8'000);
    turn.key->group = GroupKey(99);
    agents.push_back(router_.route(turn, start).value());
  }
  auto single = send(3, 8'000, start + 1s);
  finish(one, 8'000, 0, start + 2s);
  finish(two, 8'000, 0, start + 2s);
  std::size_t served = 0;
  for (auto now = start + 10s; single.is_held() && now < start + 100s; now += 10s) {
    router_.admit(now);
    for (; served < agents.size() && !agents[served].is_held(); ++served)
      finish(agents[served], 8'000, 0, now);
  }
  EXPECT_FALSE(single.is_held());
  EXPECT_LE(served, 9u);
}

}  // namespace
}  // namespace lmw::routing
