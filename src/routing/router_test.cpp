#include "routing/router.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "routing/router_fixture.hpp"

namespace lmw::routing {
namespace {

using namespace std::chrono_literals;

TEST_F(RouterTest, AConversationStaysOnTheReplicaItWasPlacedOn) {
  const auto home = pass(turn_of(1)).replica;
  pass(turn_of(2));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(pass(turn_of(1)).replica, home);
  EXPECT_EQ(count(Outcome::placed), 2U);
  EXPECT_EQ(count(Outcome::sticky), 20U);
}

TEST_F(RouterTest, ABurstOfNewConversationsSpreadsEvenly) {
  std::map<ReplicaId, int> placed;
  std::vector<Ticket> tickets;
  for (std::uint64_t i = 0; i < 16; ++i) {
    tickets.push_back(router_.route(turn_of(i), start).value());
    ++placed[*tickets.back().decision().replica];
  }
  EXPECT_EQ(placed.size(), 4U);
  for (const auto& [id, n] : placed) EXPECT_EQ(n, 4);
}

TEST_F(RouterTest, RankZeroIsSentAsZero) { EXPECT_EQ(pass(turn_of(1)).rank, 0); }

TEST_F(RouterTest, ConversationsThatHaveBeenQuietForFiveMinutesNoLongerCountAsLoad) {
  for (std::uint64_t i = 0; i < 5; ++i) pass(turn_of(i));  // replica 0 has two
  EXPECT_EQ(pass(turn_of(10), start + 1min).replica, ReplicaId(1));
  // All old now; ties go to the replica with fewer conversations.
  EXPECT_EQ(pass(turn_of(11), start + 10min).replica, ReplicaId(2));
}

TEST_F(RouterTest, KvUseCountsOnlyWhileEveryReplicaHasAFreshReading) {
  for (std::uint32_t i = 0; i < 4; ++i) {
    router_.replicas().record(ReplicaId(i), {.kv_used = i == 0 ? 0.9 : 0.1, .at = start});
  }
  EXPECT_EQ(pass(turn_of(1), start + 14s).replica, ReplicaId(1));
  router_.replicas().record(ReplicaId(1), {.kv_used = 0.1, .at = start - 5s});
  EXPECT_EQ(pass(turn_of(2), start + 14s).replica, ReplicaId(0));
}

TEST_F(RouterTest, ATurnSpillsWhenItsHomeIsFullAndTheHomeStays) {
  router_.settings().spill_threshold = 2;
  std::vector<Ticket> tickets;
  tickets.push_back(router_.route(turn_of(1), start).value());
  const auto home = *tickets.front().decision().replica;
  tickets.push_back(router_.route(turn_of(1), start).value());
  EXPECT_EQ(tickets.back().decision().replica, home);
  tickets.push_back(router_.route(turn_of(1), start).value());
  EXPECT_EQ(tickets.back().decision().outcome, Outcome::spilled);
  EXPECT_NE(tickets.back().decision().replica, home);
  EXPECT_EQ(replica(home.value()).counters.spilled_away, 1U);
  tickets.clear();
  EXPECT_EQ(pass(turn_of(1)).replica, home);
  expect_all_gauges_zero();
}

TEST_F(RouterTest, ATurnStaysHomeOverTheThresholdWhenNowhereIsEmptier) {
  router_.settings().spill_threshold = 1;
  std::vector<Ticket> tickets;
  for (std::uint64_t i = 0; i < 4; ++i) tickets.push_back(router_.route(turn_of(i), start).value());
  const auto home = tickets[0].decision().replica;
  tickets.push_back(router_.route(turn_of(0), start).value());
  EXPECT_EQ(tickets.back().decision().replica, home);
  EXPECT_EQ(tickets.back().decision().outcome, Outcome::sticky);
}

TEST_F(RouterTest, SixAgentsOfOneSessionSpreadAndEachStays) {
  pass(turn_of(100));
  std::vector<Ticket> tickets;
  std::map<ReplicaId, int> placed;
  for (std::uint64_t i = 1; i <= 6; ++i) {
    tickets.push_back(router_.route(turn_of(i, 100), start).value());
    ++placed[*tickets.back().decision().replica];
  }
  EXPECT_EQ(placed.size(), 4U);
  for (const auto& ticket : tickets) EXPECT_EQ(ticket.decision().outcome, Outcome::placed);
  std::vector<std::optional<ReplicaId>> homes;
  for (auto& ticket : tickets) {
    homes.push_back(ticket.decision().replica);
    ticket.finish(TurnEnd::answered, {}, start);
  }
  for (std::uint64_t i = 1; i <= 6; ++i) EXPECT_EQ(pass(turn_of(i, 100)).replica, homes[i - 1]);
}

TEST_F(RouterTest, AChildGoesWithItsParentWhenLoadsAreEqual) {
  // Homes: 1 on replica 0, 2 on 1, 3 on 2, 4 on 3, then all become old, with equal counts.
  for (std::uint64_t i = 1; i <= 4; ++i) pass(turn_of(i));
  EXPECT_EQ(pass(turn_of(9, 3), start + 10min).replica, ReplicaId(2));
}

TEST_F(RouterTest, ASideRequestLeavesNoHome) {
  auto turn = turn_of(1);
  turn.side = true;
  EXPECT_EQ(pass(turn).outcome, Outcome::side);
  EXPECT_EQ(router_.table().size(), 0U);
  EXPECT_EQ(pass(turn_of(1)).outcome, Outcome::placed);
}

TEST_F(RouterTest, AConversationWithoutToolsStaysWhereItsFirstSmallTurnRan) {
  std::vector<Ticket> busy;
  for (int i = 0; i < 2; ++i) busy.push_back(router_.route({}, start).value());  // replicas 0 and 1
  auto turn = turn_of(1);
  turn.side = true;
  const auto first = pass(turn).replica;
  busy.clear();
  turn.side = false;
  const auto second = pass(turn);
  EXPECT_EQ(second.outcome, Outcome::placed);
  EXPECT_EQ(second.replica, first);
  EXPECT_EQ(pass(turn).outcome, Outcome::sticky);
  turn.side = true;
  EXPECT_EQ(pass(turn).outcome, Outcome::sticky) << "small, but a turn like the others";
}

TEST_F(RouterTest, ATitleDoesNotDecideWhereTheConversationGoes) {
  std::vector<Ticket> busy;
  for (int i = 0; i < 2; ++i) busy.push_back(router_.route({}, start).value());
  auto turn = turn_of(1);
  turn.side = true;
  const auto title = pass(turn).replica;
  busy.clear();
  turn.side = false;
  turn.has_tools = true;
  EXPECT_NE(pass(turn).replica, title) << "replica 0 is the least loaded now";
}

TEST(SideRequest, IsSmallWithoutToolsFromAClientThatAlwaysHasTools) {
  const auto claude = identify({.claude_session = "s"});
  EXPECT_TRUE(is_side_request(claude, 0, 1, 4049));
  EXPECT_FALSE(is_side_request(claude, 13, 2, 4049));
  EXPECT_FALSE(is_side_request(claude, 0, 1, 27'000));
  EXPECT_FALSE(is_side_request(claude, 0, 5, 4049));
  EXPECT_TRUE(is_side_request(identify({.session = "ses_1"}), 0, 3, 2471));
  EXPECT_FALSE(is_side_request(identify({.session = "chat-1"}), 0, 1, 400));
}

TEST_F(RouterTest, WithoutAKeyATurnIsBalancedByLoad) {
  std::vector<Ticket> tickets;
  for (int i = 0; i < 8; ++i) tickets.push_back(router_.route({}, start).value());
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(replica(i).in_flight, 2);
  EXPECT_EQ(count(Outcome::balanced), 8U);
  EXPECT_EQ(router_.table().size(), 0U);
}

TEST_F(RouterTest, WithAffinityOffTheEngineChooses) {
  const auto home = pass(turn_of(1)).replica;
  router_.settings().affinity = false;
  {
    const auto ticket = router_.route(turn_of(1), start).value();
    EXPECT_EQ(ticket.decision().outcome, Outcome::unrouted);
    EXPECT_FALSE(ticket.decision().rank);
    EXPECT_EQ(router_.replicas()[endpoint_].unrouted_in_flight, 1);
  }
  expect_all_gauges_zero();
  router_.settings().affinity = true;
  EXPECT_EQ(pass(turn_of(1)).replica, home);
}

TEST_F(RouterTest, AClientsOwnRankIsNeverOverridden) {
  auto turn = turn_of(1);
  turn.rank_header = "2";
  const auto pinned = pass(turn);
  EXPECT_EQ(pinned.outcome, Outcome::client_pinned);
  EXPECT_EQ(pinned.replica, ReplicaId(2));
  EXPECT_FALSE(pinned.rank);
  for (const auto* text : {"4", "-1", "abc", "", "1.0", "1e0", "0, 1"}) {
    turn.rank_header = text;
    EXPECT_EQ(pass(turn).outcome, Outcome::passed) << text;
  }
  EXPECT_EQ(count(Outcome::client_pinned), 1U);
  EXPECT_EQ(router_.table().size(), 0U);
}

TEST_F(RouterTest, WhereTheEngineIgnoresRanksNothingIsPlacedAndThatIsCounted) {
  router_.replicas()[endpoint_].ignores_rank_on_responses = true;
  auto turn = turn_of(1);
  turn.is_response = true;
  const auto decision = pass(turn);
  EXPECT_EQ(decision.outcome, Outcome::not_followed);
  EXPECT_FALSE(decision.replica);
  EXPECT_FALSE(decision.rank);
  EXPECT_EQ(router_.table().size(), 0U);
  turn.rank_header = "1";
  EXPECT_EQ(pass(turn).outcome, Outcome::not_followed);
  turn.is_response = false;
  turn.rank_header.reset();
  EXPECT_EQ(pass(turn).outcome, Outcome::placed);
  expect_all_gauges_zero();
}

TEST_F(RouterTest, RanksThatAreGoneNoLongerCount) {
  router_.replicas().set_ranks(endpoint_, {"0"});
  EXPECT_FALSE(pass(turn_of(1)).rank) << "an engine of one replica needs none";
  auto pinned = turn_of(2);
  pinned.rank_header = "1";
  EXPECT_EQ(pass(pinned).outcome, Outcome::passed);
  router_.settings().affinity = false;
  EXPECT_EQ(pass(turn_of(3)).replica, ReplicaId(0));
}

TEST_F(RouterTest, NothingIsRoutedWhileNoEndpointIsUp) {
  router_.replicas()[endpoint_].up = false;
  EXPECT_FALSE(router_.route(turn_of(1), start));
  TurnFacts pinned = turn_of(1);
  pinned.rank_header = "0";
  EXPECT_FALSE(router_.route(pinned, start));
}

TEST_F(RouterTest, ANewEngineRunForgetsItsHomes) {
  pass(turn_of(1));
  router_.replicas().record(ReplicaId(0), {.at = start});
  router_.new_run(endpoint_);
  EXPECT_EQ(router_.table().size(), 0U);
  EXPECT_FALSE(replica(0).reading);
  EXPECT_EQ(pass(turn_of(1)).outcome, Outcome::placed);
}

TEST_F(RouterTest, AReplacedHistoryStaysHomeWhereLoadsAreEqual) {
  auto turn = turn_of(1);
  turn.window = 0;
  const auto home = pass(turn).replica;
  turn.window = 1;
  const auto next = pass(turn);
  EXPECT_EQ(next.outcome, Outcome::placed);
  EXPECT_EQ(next.replica, home);
  EXPECT_EQ(pass(turn).outcome, Outcome::sticky);
}

TEST_F(RouterTest, AReplacedHistoryFreesTheTurnToBePlacedAnew) {
  auto turn = turn_of(1);
  turn.window = 0;
  std::vector<Ticket> busy;
  const auto home = pass(turn).replica;
  for (int i = 0; i < 3; ++i) busy.push_back(router_.route(turn, start).value());
  turn.window = 1;
  const auto next = router_.route(turn, start).value();
  EXPECT_EQ(next.decision().outcome, Outcome::rehomed);
  EXPECT_NE(next.decision().replica, home);
  EXPECT_EQ(router_.table().size(), 1U);
}

TEST_F(RouterTest, MeasuredTokensAreCountedPerReplicaAndUnmeasuredOnesAsComputed) {
  auto first = router_.route(turn_of(1), start).value();
  first.finish(TurnEnd::answered, {1000, 600, 50}, start);
  auto second = router_.route(turn_of(1), start).value();
  second.finish(TurnEnd::answered, {2000, std::nullopt, 60}, start);
  const auto& tokens = router_.counters().tokens;
  EXPECT_EQ(tokens.prompt, 3000);
  EXPECT_EQ(tokens.cached, 600);
  EXPECT_EQ(tokens.computed, 2400);
  EXPECT_EQ(tokens.completion, 110);
  EXPECT_EQ(tokens.measured_turns, 1U);
  EXPECT_EQ(tokens.unmeasured_turns, 1U);
  EXPECT_EQ(replica(0).counters.tokens.computed, 2400);
}

TEST_F(RouterTest, ATicketThatIsDroppedLeavesEveryGaugeAtZero) {
  {
    const auto ticket = router_.route(turn_of(1), start).value();
  }
  expect_all_gauges_zero();
  EXPECT_EQ(router_.counters().cancelled, 1U);
}

TEST_F(RouterTest, KeepsALogOfItsLastTurns) {
  auto ticket = router_.route(turn_of(1), start).value();
  ticket.first_content(2s, start + 2s);
  ticket.first_content(9s, start + 9s);
  ticket.finish(TurnEnd::answered, {100, 40, 10}, start + 3s);
  ASSERT_EQ(router_.log().turns().size(), 1u);
  const auto& turn = router_.log().turns().front();
  EXPECT_EQ(turn.conversation, ConversationKey(1));
  EXPECT_EQ(turn.outcome, Outcome::placed);
  EXPECT_EQ(turn.sent, start);
  EXPECT_EQ(turn.ended, start + 3s);
  EXPECT_EQ(turn.ttfb, 2s);
  EXPECT_EQ(turn.tokens.cached, 40);
  for (std::size_t i = 0; i < TurnLog::limit; ++i) pass(turn_of(2));
  EXPECT_EQ(router_.log().turns().size(), TurnLog::limit);
  EXPECT_EQ(router_.log().turns().front().conversation, ConversationKey(2));
}

}  // namespace
}  // namespace lmw::routing
