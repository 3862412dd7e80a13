#include <deque>
#include <map>

#include "routing/router_places_fixture.hpp"

namespace lmw::routing {
namespace {

using Messages = std::vector<std::string>;

TEST_F(RouterPlaces, NobodyWaitsWhileEverythingFits) {
  std::map<std::uint64_t, ReplicaId> homes;
  auto now = start;
  for (std::uint64_t turn = 0; turn < 10; ++turn) {
    for (std::uint64_t key = 1; key <= 4; ++key) {
      const auto prompt = 2'000 + 200 * turn;
      auto ticket = send(key, prompt, now);
      ASSERT_FALSE(ticket.is_held());
      EXPECT_EQ(ticket.decision().outcome, turn == 0 ? Outcome::placed : Outcome::sticky);
      EXPECT_EQ(homes.try_emplace(key, *ticket.decision().replica).first->second, ticket.decision().replica);
      now += 1s;
      finish(ticket, static_cast<std::int64_t>(prompt),
             turn == 0 ? 0 : static_cast<std::int64_t>(prompt - 200), now);
    }
  }
  EXPECT_EQ(router_.counters().held.count(), 0u);
  EXPECT_EQ(router_.places().rotations(), 0u);
  expect_all_gauges_zero();
}

// As Codex's sub-agents: all but the task is what their siblings have too.
TEST_F(RouterPlaces, AConversationThatHasLittleOfItsOwnGoesHomeThoughHomeIsBusierWhileEverythingFits) {
  auto first = send(1, 2'000);
  const auto home = first.decision().replica;
  finish(first, 2'000, 1'950, start + 1s);
  auto busy = send(2, 2'000, start + 2s),
       idle = send(3, 2'000, start + 2s);  // idle places end when others come
  auto& at_home = busy.decision().replica == home ? busy : idle;
  auto& elsewhere = busy.decision().replica == home ? idle : busy;
  ASSERT_NE(elsewhere.decision().replica, home);
  finish(elsewhere, 2'000, 1'950, start + 3s);
  auto again = send(1, 2'100, start + 4s);
  EXPECT_EQ(again.decision().outcome, Outcome::sticky);
  EXPECT_EQ(again.decision().replica, home);
  finish(again, 2'100, 2'000, start + 5s);
  finish(at_home, 2'000, 1'950, start + 5s);
}

TEST_F(RouterPlaces, ConversationsThatFitAreSpreadThoughAllAreIdle) {
  auto now = start;
  for (std::uint64_t key = 1; key <= 6; ++key) {
    auto ticket = send(key, 1'000, now);
    now += 1s;
    finish(ticket, 1'000, key == 1 ? 0 : 800, now);
    // What comes beside it, and its next turn.
    auto next = send(key, 1'200, now);
    now += 1s;
    finish(next, 1'200, 1'000, now);
  }
  EXPECT_EQ(router_.table().homed(ReplicaId(0)), 3);
  EXPECT_EQ(router_.table().homed(ReplicaId(1)), 3);
}

TEST_F(RouterPlaces, ATurnWithoutRoomIsHeldUntilThereIsSome) {
  auto one = send(1, 8'000), two = send(2, 8'000);
  auto three = send(3, 8'000);
  EXPECT_TRUE(three.is_held());
  EXPECT_EQ(router_.places().waiting(), 1u);
  EXPECT_EQ(router_.in_flight(), 2);

  finish(one, 8'000, 0, start + 5s);
  EXPECT_TRUE(three.is_held());  // the place of an idle conversation is kept for a while
  router_.admit(start + 60s);
  EXPECT_EQ(router_.take_admitted().back(), three.turn());
  ASSERT_FALSE(three.is_held());
  EXPECT_EQ(three.decision().replica, ReplicaId(0));
  EXPECT_EQ(router_.counters().held.count(), 1u);
  finish(two, 8'000, 0, start + 61s);
  finish(three, 8'000, 0, start + 62s);
  expect_all_gauges_zero();
}

TEST_F(RouterPlaces, AHeldTurnWhoseClientLeavesIsGone) {
  auto one = send(1, 8'000), two = send(2, 8'000);
  {
    auto three = send(3, 8'000);
    EXPECT_TRUE(three.is_held());
  }
  EXPECT_EQ(router_.places().waiting(), 0u);
  EXPECT_EQ(router_.held(), 0u);
  EXPECT_EQ(router_.counters().left_while_held, 1u);
  {
    auto three = send(3, 8'000);
    finish(one, 8'000, 0, start + 1s);
    router_.admit(start + 60s);
  }
  finish(two, 8'000, 0, start + 61s);
  EXPECT_EQ(router_.held(), 0u);
  EXPECT_EQ(router_.counters().cancelled, 1u);
  expect_all_gauges_zero();
}

TEST_F(RouterPlaces, AQuestionWhoseClientLeftWhileItWasHeldMayBeForgotten) {
  const auto ask = [&](const Messages& messages, Instant now) {
    const auto prompt = prompt_of(messages);
    auto turn = turn_without_id(prompt);
    turn.bytes = 4 * 8'000;
    return router_.route(turn, now).value();
  };
  auto task = ask({"task"}, start), other = send(1, 8'000);
  finish(task, 8'000, 0, start + 1s);
  auto newcomer = send(2, 8'000, start + 60s);
  EXPECT_TRUE(ask({"task", "answer", "question"}, start + 61s).is_held());
  finish(other, 8'000, 0, start + 62s);
  finish(newcomer, 8'000, 0, start + 62s);
  auto next = ask({"task", "answer", "another"}, start + 120s);
  EXPECT_FALSE(next.is_held());
  EXPECT_EQ(router_.table().size(), 3u);
  finish(next, 8'000, 0, start + 121s);
}

TEST_F(RouterPlaces, SaysOfEachTurnThatWaitsWhereItStandsAndWhatHoldsTheRoom) {
  auto one = send(1, 8'000), two = send(2, 6'000);
  auto three = send(3, 8'000), four = send(4, 8'000);
  EXPECT_EQ(three.conversation(), ConversationKey(3));
  auto waits = router_.places().waiting_turns(start);
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].turn, three.turn());
  EXPECT_EQ(waits[0].position, 1u);
  EXPECT_EQ(waits[1].turn, four.turn());
  EXPECT_EQ(waits[1].position, 2u);
  EXPECT_EQ(waits[0].replica, two.decision().replica);  // where more room is left
  EXPECT_GT(waits[0].needs, 8'000);
  EXPECT_LT(waits[0].room, waits[0].needs);
  EXPECT_EQ(waits[0].running, 1);
  EXPECT_EQ(waits[0].pausing, 0);
  // Two turns were sent in the last minute, and a share of them may come out of the queue.
  const double a_second = router_.settings().places.wait_share * 2 / 60;
  EXPECT_NEAR(seconds(waits[0].expected_wait.value()), 1 / a_second, 0.1);
  EXPECT_NEAR(seconds(waits[1].expected_wait.value()), 2 / a_second, 0.1);

  finish(two, 6'000, 0, start);
  EXPECT_EQ(router_.places().waiting_turns(start)[0].pausing, 1);
  router_.replicas()[endpoint_].up = false;
  EXPECT_EQ(router_.places().waiting_turns(start)[0].replica, std::nullopt);
}

TEST_F(RouterPlaces, AConversationLargerThanAnyCacheRunsAlone) {
  auto large = send(1, 50'000);
  EXPECT_FALSE(large.is_held());
  auto other = send(2, 2'000);
  EXPECT_FALSE(other.is_held());
  EXPECT_NE(other.decision().replica, large.decision().replica);
  finish(large, 50'000, 0, start + 1s);
  finish(other, 2'000, 0, start + 1s);
}

TEST_F(RouterPlaces, AConversationWhoseCacheARunningOneHasTakenGoesElsewhereAtOnce) {
  auto small = send(1, 1'000);
  const auto home = *small.decision().replica;
  auto other = send(2, 2'000);  // elsewhere
  auto large = send(3, 8'300);
  ASSERT_EQ(large.decision().replica, home);
  finish(other, 2'000, 0, start + 1s);
  small.finish(TurnEnd::answered, {1'000, 0, 4'000}, start + 1s);  // the large one was sent before that
  auto again = send(1, 5'000, start + 1s);
  ASSERT_FALSE(again.is_held());
  EXPECT_NE(again.decision().replica, home);
}

TEST_F(RouterPlaces, OnlyTheBeginningOfAConversationTellsWhatConversationsShare) {
  auto history = prompt_of({"task"});
  history.has_answers = true;  // another gateway, or this one before it was started anew, has served it
  auto goes_on = asks(1, 8'000);
  goes_on.prompt = &history;
  auto one = router_.route(goes_on, start).value();
  auto two = send(2, 8'000);
  finish(one, 8'000, 7'900, start);
  auto waiting = send(3, 8'000);
  ASSERT_TRUE(waiting.is_held());
  EXPECT_GT(router_.places().waiting_turns(start).front().needs, 8'000);
}

TEST_F(RouterPlaces, AnAnswerThatIsNotStreamedTeachesNothingOfTheEnginesSpeed) {
  router_.settings().places.wait_share = 1;
  auto now = start;
  for (std::uint64_t key = 10; key < 50; ++key) {
    auto whole = send(key, 8'000, now);
    now += 100s;
    whole.first_content(100s, now, false);
    finish(whole, 8'000, 0, now);
  }
  now += 100s;
  const auto begin = now;
  std::deque<Ticket> busy;
  busy.push_back(send(1, 8'000, now));
  busy.push_back(send(2, 8'000, now));
  auto waiting = send(3, 8'000, now);
  while (waiting.is_held() && now < begin + 60s) {
    now += 1s;
    for (std::uint64_t key = 1; key <= 2 && waiting.is_held(); ++key) {
      finish(busy.front(), 8'000, 7'000, now);
      busy.pop_front();
      busy.push_back(send(key, 8'000, now));
    }
  }
  EXPECT_LT(now - begin, 10s);
}

TEST_F(RouterPlaces, ATurnThatWasLetInAndIsDroppedEndsNow) {
  auto one = send(1, 8'000), two = send(2, 8'000);
  {
    auto waiting = send(3, 8'000);
    ASSERT_TRUE(waiting.is_held());
    one.finish(TurnEnd::answered, {}, start + 50s);
    router_.admit(start + 60s);
    ASSERT_FALSE(router_.take_admitted().empty());
  }
  EXPECT_EQ(router_.log().turns().back().conversation, ConversationKey(3));
  EXPECT_EQ(router_.log().turns().back().ended, start + 60s);
}

TEST_F(RouterPlaces, SwitchedOffItLetsEverybodyIn) {
  auto one = send(1, 8'000), two = send(2, 8'000), three = send(3, 8'000);
  router_.settings().admission = Admission::off;
  router_.admit(start + 1s);
  EXPECT_FALSE(three.is_held());
  EXPECT_FALSE(send(4, 8'000).is_held());
}

TEST_F(RouterPlaces, WithoutAKnownCapacityNobodyWaits) {
  replica(1).kv_capacity_tokens.reset();
  EXPECT_FALSE(router_.places_on());
  auto one = send(1, 8'000), two = send(2, 8'000), three = send(3, 8'000);
  EXPECT_FALSE(three.is_held());
}

TEST_F(RouterPlaces, AnEngineThatStartedAnewKeepsNoPlaces) {
  auto one = send(1, 8'000);
  finish(one, 8'000, 0, start + 1s);
  router_.new_run(endpoint_);
  EXPECT_EQ(router_.places().places(ReplicaId(0)), 0);
  auto again = send(1, 8'000, start + 2s);
  EXPECT_EQ(again.decision().outcome, Outcome::placed);
  finish(again, 8'000, 0, start + 3s);
  expect_all_gauges_zero();
}

}  // namespace
}  // namespace lmw::routing
