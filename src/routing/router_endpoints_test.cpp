#include <gtest/gtest.h>

#include "routing/router_fixture.hpp"

namespace lmw::routing {
namespace {

class TwoEndpoints : public RouterTest {
 protected:
  TwoEndpoints() : RouterTest(1), second_(router_.replicas().endpoint("http://127.0.0.1:8001")) {
    router_.replicas().set_ranks(second_, {"0"});
    router_.replicas()[second_].up = true;
  }
  EndpointId second_;
};

TEST_F(TwoEndpoints, AnEngineOfOneReplicaGetsNoRank) {
  EXPECT_FALSE(pass(turn_of(1)).rank);
  EXPECT_EQ(pass(turn_of(2)).endpoint, second_);
}

TEST_F(TwoEndpoints, AClientsRankIsPassedOnAndDoesNotRoute) {
  auto turn = turn_of(1);
  turn.rank_header = "0";
  const auto home = pass(turn);
  EXPECT_EQ(home.outcome, Outcome::placed);
  EXPECT_EQ(pass(turn).endpoint, home.endpoint);
}

TEST_F(TwoEndpoints, AHomeThatIsDownIsPlacedAnew) {
  const auto home = pass(turn_of(1));
  router_.replicas()[home.endpoint].up = false;
  const auto next = pass(turn_of(1));
  EXPECT_EQ(next.outcome, Outcome::rehomed);
  EXPECT_NE(next.endpoint, home.endpoint);
  router_.replicas()[home.endpoint].up = true;
  EXPECT_EQ(pass(turn_of(1)).endpoint, next.endpoint);
}

TEST_F(TwoEndpoints, ATurnThatMovesIsCountedOnceWhereItRan) {
  const auto home = pass(turn_of(1));
  auto ticket = router_.route(turn_of(1), start).value();
  router_.replicas()[home.endpoint].up = false;
  ASSERT_TRUE(router_.move(ticket, start));
  const auto now = ticket.decision();
  ticket.finish(TurnEnd::answered, {}, start);
  EXPECT_EQ(now.outcome, Outcome::rehomed);
  EXPECT_EQ(count(Outcome::sticky), 0U);
  EXPECT_EQ(count(Outcome::placed), 1U);
  EXPECT_EQ(count(Outcome::rehomed), 1U);
  EXPECT_EQ(replica(now.replica->value()).counters.turns[static_cast<std::size_t>(Outcome::rehomed)], 1U);
  EXPECT_EQ(router_.table().find(ConversationKey(1))->turns, 2U);
}

TEST_F(TwoEndpoints, TurnsOfOneConversationMoveTogether) {
  router_.replicas().set_ranks(second_, {"0", "1"});
  router_.replicas().set_ranks(endpoint_, {"0", "1"});
  const auto home = pass(turn_of(1));
  auto one = router_.route(turn_of(1), start).value();
  auto two = router_.route(turn_of(1), start).value();
  router_.replicas()[home.endpoint].up = false;
  ASSERT_TRUE(router_.move(one, start));
  ASSERT_TRUE(router_.move(two, start));
  EXPECT_EQ(one.decision().outcome, Outcome::rehomed);
  EXPECT_EQ(two.decision().outcome, Outcome::sticky);
  EXPECT_EQ(one.decision().replica, two.decision().replica);
  EXPECT_EQ(router_.table().find(ConversationKey(1))->home, *one.decision().replica);
}

TEST_F(TwoEndpoints, AClientsRankStaysTheOnlyOneWhenItsTurnMoves) {
  router_.replicas().set_ranks(second_, {"0", "1"});
  auto turn = turn_of(1);
  turn.rank_header = "0";
  auto ticket = router_.route(turn, start).value();
  ASSERT_NE(ticket.decision().endpoint, second_);
  ASSERT_TRUE(router_.move(ticket, start));
  EXPECT_EQ(ticket.decision().endpoint, second_);
  EXPECT_FALSE(ticket.decision().rank);
}

TEST_F(TwoEndpoints, ResponsesStickToAnEngineOfOneReplicaBesideAnOldOneOfSeveral) {
  router_.replicas().set_ranks(second_, {"0", "1"});
  router_.replicas()[endpoint_].ignores_rank_on_responses = true;
  router_.replicas()[second_].ignores_rank_on_responses = true;
  auto turn = turn_of(1);
  turn.is_response = true;
  EXPECT_EQ(pass(turn).outcome, Outcome::placed);
  EXPECT_EQ(pass(turn).outcome, Outcome::sticky);
  turn.key = turn_of(2).key;
  const auto second = pass(turn);
  EXPECT_EQ(second.outcome, Outcome::not_followed);
  EXPECT_EQ(second.endpoint, second_);
}

TEST_F(TwoEndpoints, ATurnMovesToEachOtherReplicaAtMostOnce) {
  auto ticket = router_.route(turn_of(1), start).value();
  const auto first = ticket.decision().endpoint;
  router_.replicas()[first].up = false;
  EXPECT_TRUE(router_.move(ticket, start));
  EXPECT_NE(ticket.decision().endpoint, first);
  EXPECT_EQ(router_.table().find(ConversationKey(1))->home, ticket.decision().replica);
  EXPECT_FALSE(router_.move(ticket, start));
  ticket.finish(TurnEnd::failed, {}, start);
  expect_all_gauges_zero();
}

}  // namespace
}  // namespace lmw::routing
