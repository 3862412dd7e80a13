#include "routing/router_fixture.hpp"

namespace lmw::routing {
namespace {

using namespace std::chrono_literals;

class RouterWhyTest : public RouterTest {
 protected:
  RouterWhyTest() : RouterTest(2) {}
  const TurnRecord& last() const { return router_.log().turns().back(); }
};

TEST_F(RouterWhyTest, ATurnKeepsTheLoadsAsTheyWereBeforeIt) {
  const auto other = router_.route(turn_of(1), start);
  pass(turn_of(2));
  const auto& why = last().why;
  EXPECT_EQ(why.source, KeySource::claude_code);
  EXPECT_FALSE(why.home) << "it had none";
  ASSERT_EQ(why.loads().size(), 2U);
  EXPECT_EQ(why.loads()[0].in_flight, 1);
  EXPECT_EQ(why.loads()[0].recent, 1);
  EXPECT_EQ(why.loads()[1].value(), 0);
  EXPECT_EQ(last().replica, ReplicaId(1));
}

TEST_F(RouterWhyTest, ALaterTurnKeepsItsHomeAndTheThreshold) {
  router_.settings().spill_threshold = 7;
  pass(turn_of(1));
  pass(turn_of(1));
  EXPECT_EQ(last().why.home, ReplicaId(0));
  EXPECT_EQ(last().why.home_threshold, 7);
  EXPECT_FALSE(last().why.by_room);
}

TEST_F(RouterWhyTest, ATurnThatWaitedForRoomKeepsHowLong) {
  router_.settings().admission = Admission::on;
  replica(0).kv_capacity_tokens = replica(1).kv_capacity_tokens = 1000;
  std::vector<Ticket> running;
  for (std::uint64_t i = 1; i <= 2; ++i) {
    auto turn = turn_of(i);
    turn.bytes = 3600;
    running.push_back(router_.route(turn, start).value());
  }
  auto turn = turn_of(3);
  turn.bytes = 3600;
  auto waits = router_.route(turn, start).value();
  ASSERT_TRUE(waits.is_held());
  running.clear();
  router_.admit(start + 150s);
  ASSERT_FALSE(waits.is_held());
  waits.finish(TurnEnd::answered, {900, 0, 10}, start + 151s);
  EXPECT_TRUE(last().why.by_room);
  EXPECT_GT(last().why.held.value_or(0s), 0s);
}

TEST_F(RouterWhyTest, OnlyTheFirstLoadsOfManyReplicasAreKept) {
  std::vector<std::string> labels;
  for (int i = 0; i < 40; ++i) labels.push_back(std::to_string(i));
  router_.replicas().set_ranks(endpoint_, labels);
  pass(turn_of(1));
  EXPECT_EQ(last().why.replicas, 40U);
  EXPECT_EQ(last().why.loads().size(), Why::most_loads);
}

TEST_F(RouterWhyTest, WhatAffinitySavesIsEstimatedForLaterTurns) {
  pass(turn_of(1), start, {1600, 0, 160});
  EXPECT_FALSE(last().engine) << "a first turn";
  pass(turn_of(1), start, {1920, 1760, 160});
  ASSERT_TRUE(last().engine);
  EXPECT_EQ(last().engine->saved, 1760) << "the engine would have sent it to the other replica";
  const auto& saving = router_.counters().saving;
  EXPECT_EQ(saving.turns, 1U);
  EXPECT_EQ(saving.cached, 1760);
  EXPECT_EQ(saving.engine_cached, 0);
  EXPECT_EQ(router_.table().find(ConversationKey(1))->saved, 1760);
}

TEST_F(RouterWhyTest, NothingIsSavedWhileTheEngineBalances) {
  router_.settings().affinity = false;
  for (int i = 0; i < 3; ++i) pass(turn_of(1), start, {1000, 900, 100});
  EXPECT_FALSE(last().engine);
  EXPECT_EQ(router_.counters().saving.turns, 0U);
}

TEST_F(RouterWhyTest, AConversationKeepsTheCachedSharesOfItsLastTurns) {
  for (std::int64_t i = 0; i <= 20; ++i) pass(turn_of(1), start, {100, i, 0});
  pass(turn_of(1), start, {100, std::nullopt, 0});
  const auto shares = router_.table().find(ConversationKey(1))->cached_shares.all();
  ASSERT_EQ(shares.size(), CachedShares::limit);
  EXPECT_EQ(shares[14], 20);
  EXPECT_EQ(shares[15], CachedShares::unmeasured);
}

}  // namespace
}  // namespace lmw::routing
