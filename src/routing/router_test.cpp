#include "routing/router.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "routing/rank_header.hpp"

namespace lmw::routing {
namespace {

using namespace std::chrono_literals;

constexpr Instant start{};

TurnFacts turn_of(std::uint64_t conversation, std::optional<std::uint64_t> parent = {}) {
  TurnKey key{ConversationKey(conversation), GroupKey(1), {}};
  if (parent) key.parent = ConversationKey(*parent);
  return {.key = key, .source = KeySource::claude_code};
}

// One endpoint of `ranks` ranks, up.
class RouterTest : public testing::Test {
 protected:
  explicit RouterTest(int ranks = 4) : endpoint_(router_.replicas().endpoint("http://127.0.0.1:8000")) {
    std::vector<std::string> labels;
    for (int i = 0; i < ranks; ++i) labels.push_back(std::to_string(i));
    router_.replicas().set_ranks(endpoint_, labels);
    router_.replicas()[endpoint_].up = true;
  }

  // Sends a turn and ends it at once; where it went.
  Decision pass(const TurnFacts& turn, Instant now = start) {
    auto ticket = router_.route(turn, now).value();
    const auto decision = ticket.decision();
    ticket.finish(TurnEnd::answered, {100, 40, 10}, now);
    return decision;
  }
  std::uint64_t count(Outcome outcome) const {
    return router_.counters().turns[static_cast<std::size_t>(outcome)];
  }
  Replica& replica(std::uint32_t id) { return router_.replicas()[ReplicaId(id)]; }
  void expect_all_gauges_zero() {
    EXPECT_EQ(router_.in_flight(), 0);
    for (const auto& each : router_.replicas().replicas()) EXPECT_EQ(each.in_flight, 0);
    for (const auto& each : router_.replicas().endpoints()) EXPECT_EQ(each.unrouted_in_flight, 0);
    router_.table().for_each([](const Conversation& c) {
      EXPECT_EQ(c.in_flight, 0);
      return true;
    });
  }

  Router router_{{}, {}};
  EndpointId endpoint_;
};

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

TEST(SpillThreshold, IsAQuarterOfMaxNumSeqsUnlessSetAndAtLeastOne) {
  Replica replica;
  EXPECT_EQ(spill_threshold(replica, {}), 64);
  replica.learnt_max_num_seqs = 8;
  EXPECT_EQ(spill_threshold(replica, {}), 2);
  replica.max_num_seqs = 32;
  EXPECT_EQ(spill_threshold(replica, {}), 8);
  replica.max_num_seqs = 2;
  EXPECT_EQ(spill_threshold(replica, {}), 1);
  EXPECT_EQ(spill_threshold(replica, 5), 5);
}

std::optional<int> learnt_from(const std::vector<Reading>& readings) {
  ReplicaSet replicas;
  replicas.set_ranks(replicas.endpoint("http://a"), {"0"});
  for (const auto& reading : readings) replicas.record(ReplicaId(0), reading);
  return replicas[ReplicaId(0)].learnt_max_num_seqs;
}

TEST(ReplicaSetTest, LearnsMaxNumSeqsWhereRunningStandsStillWhileOthersWait) {
  const Reading full{.running = 32, .waiting = 3, .kv_used = 0.5};
  EXPECT_EQ(learnt_from({full, full, full}), 32);
  EXPECT_FALSE(learnt_from({full, full}));
  EXPECT_FALSE(learnt_from({full, {.running = 31, .waiting = 1, .kv_used = 0.5}, full, full}));
}

TEST(ReplicaSetTest, LearnsNothingFromTurnsThatWaitForAnythingElse) {
  const Reading idle{.running = 12, .waiting = 0, .kv_used = 0.5};
  const Reading short_of_blocks{.running = 12, .waiting = 4, .kv_used = 0.95};
  const Reading long_prefill{.running = 2, .waiting = 4, .kv_used = 0.4};
  for (const auto& reading : {idle, short_of_blocks, long_prefill}) {
    EXPECT_FALSE(learnt_from({reading, reading, reading, reading}));
  }
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

TEST(RankHeader, IsReadAsTheEngineReadsIt) {
  EXPECT_EQ(parse_rank("0"), 0);
  EXPECT_EQ(parse_rank("00"), 0);
  EXPECT_EQ(parse_rank("+1"), 1);
  EXPECT_EQ(parse_rank(" 1 "), 1);
  EXPECT_EQ(parse_rank("-1"), -1);
  for (const auto* text : {"", " ", "1.0", "1e0", "abc", "0, 1", "+-1", "99999999999999999999"}) {
    EXPECT_FALSE(parse_rank(text)) << text;
  }
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
  EXPECT_EQ(next.decision().outcome, Outcome::placed);
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
  EXPECT_EQ(next.outcome, Outcome::placed);
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
  EXPECT_EQ(now.outcome, Outcome::placed) << "it has a new home";
  EXPECT_EQ(count(Outcome::sticky), 0U);
  EXPECT_EQ(count(Outcome::placed), 2U);
  EXPECT_EQ(replica(now.replica->value()).counters.turns[static_cast<std::size_t>(Outcome::placed)], 1U);
  EXPECT_EQ(router_.table().find(ConversationKey(1))->turns, 2U);
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

// Whatever comes, gauges return to zero and each turn ends once.
TEST(RouterSimulation, KeepsItsInvariantsOverManySeeds) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
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
