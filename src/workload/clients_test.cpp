#include "workload/clients.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lmw::workload {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Instant at(double s) { return Instant(from_seconds(s)); }

Agent agent(std::vector<Duration> gaps) {
  Agent made;
  for (const auto gap : gaps) made.turns.push_back({.prompt_tokens = 10, .gap = gap, .recorded_at = gap});
  return made;
}

Session session(std::uint64_t id, std::vector<Agent> agents) {
  return {.id = id, .agents = std::move(agents)};
}

struct World {
  explicit World(std::vector<Session> given)
      : sessions(std::move(given)), source(recorded_sessions(sessions)), clients(*source, 1) {}

  // Everything that is sent until `end`, with its time in whole seconds.
  std::vector<std::pair<TurnId, int>> sent_until(double end) {
    std::vector<std::pair<TurnId, int>> all;
    while (clients.next_due() && *clients.next_due() < at(end)) {
      const auto now = *clients.next_due();
      std::vector<TurnId> sent;
      clients.advance(now, sent);
      for (const auto turn : sent) all.emplace_back(turn, static_cast<int>(seconds(now.time_since_epoch())));
    }
    return all;
  }
  void answer(TurnId turn, double time, bool failed = false) { clients.answered(turn, failed, at(time)); }

  std::vector<Session> sessions;
  std::unique_ptr<SessionSource> source;
  Clients clients;
};

using Sent = std::pair<TurnId, int>;

TEST(Clients, SendTheNextTurnWhenTheLastHasEndedAndTheyHavePaused) {
  World world({session(1, {agent({0s, 5s})})});
  world.clients.begin({.sessions = 1}, at(0));
  EXPECT_THAT(world.sent_until(100), ElementsAre(Sent{0, 0}));
  world.answer(0, 10);
  EXPECT_THAT(world.sent_until(100), ElementsAre(Sent{1, 15}));
  EXPECT_EQ(world.clients.before(1), 0U);
  world.answer(1, 20);
  EXPECT_FALSE(world.clients.turns()[0].ends_session);
  EXPECT_TRUE(world.clients.turns()[1].ends_session);
  EXPECT_THAT(world.sent_until(100), IsEmpty());  // there are no more sessions
}

TEST(Clients, BeginOneAfterAnotherAndTakeANewSessionAtOnce) {
  World world({session(1, {agent({0s})}), session(2, {agent({0s})}), session(3, {agent({0s})})});
  world.clients.begin({.sessions = 2, .stagger = 3s}, at(0));
  EXPECT_THAT(world.sent_until(100), ElementsAre(Sent{0, 0}, Sent{1, 3}));
  world.answer(1, 9);
  EXPECT_THAT(world.sent_until(100), ElementsAre(Sent{2, 9}));
  EXPECT_EQ(world.clients.turns()[2].session, 3U);
  EXPECT_EQ(world.clients.turns()[2].agent, 1);
}

TEST(Clients, ThatLeaveEndWithTheirTurn) {
  World world({session(1, {agent({0s, 0s})}), session(2, {agent({0s, 5s})})});
  world.clients.begin({.sessions = 2}, at(0));
  EXPECT_THAT(world.sent_until(1), SizeIs(2));
  world.answer(1, 3);  // its next turn is due at 8
  world.clients.begin({.sessions = 1}, at(5));
  world.answer(0, 6);
  EXPECT_THAT(world.sent_until(100), ElementsAre(Sent{2, 6}));
  EXPECT_EQ(world.clients.turns()[2].session, 1U);
}

TEST(Clients, StartSubAgentsAfterATurnAndWaitForThoseTheNextOneNeeds) {
  auto sub = agent({0s, 1s});
  sub.after = 0;
  sub.delay = 2s;
  sub.joined_by = 1;
  World world({session(7, {agent({0s, 4s}), sub})});
  world.clients.begin({.sessions = 1}, at(0));
  world.sent_until(1);
  world.answer(0, 10);
  EXPECT_THAT(world.sent_until(100), ElementsAre(Sent{1, 12}));
  EXPECT_EQ(world.clients.parent(1), 7U);
  EXPECT_NE(world.clients.conversation(1), 7U);
  EXPECT_FALSE(world.clients.before(1));
  world.answer(1, 20);
  EXPECT_THAT(world.sent_until(100), ElementsAre(Sent{2, 21}));
  world.answer(2, 30);
  EXPECT_THAT(world.sent_until(100), ElementsAre(Sent{3, 34}));
  EXPECT_FALSE(world.clients.parent(3));
  world.answer(3, 40);
  EXPECT_TRUE(world.clients.turns()[3].ends_session);
}

TEST(Clients, AFailedTurnEndsItsSession) {
  World world({session(1, {agent({0s, 0s})}), session(2, {agent({0s})})});
  world.clients.begin({.sessions = 1}, at(0));
  world.sent_until(1);
  world.answer(0, 2, true);
  EXPECT_TRUE(world.clients.turns()[0].failed);
  EXPECT_THAT(world.sent_until(100), ElementsAre(Sent{1, 2}));
  EXPECT_EQ(world.clients.turns()[1].session, 2U);
}

TEST(Clients, SendAtTheRecordedPaceWhateverComesOfIt) {
  auto first = session(1, {agent({0s, 9s})});
  first.start = 5s;
  World world({first, session(2, {agent({1s})})});
  world.clients.begin({.arrivals = Arrivals::recorded}, at(0));
  EXPECT_THAT(world.sent_until(100), ElementsAre(Sent{0, 1}, Sent{1, 5}, Sent{2, 14}));
}

TEST(Clients, ComeAtTheRateThatIsAskedFor) {
  std::vector<Session> many;
  for (std::uint64_t i = 0; i < 1000; ++i) many.push_back(session(i, {agent({0s})}));
  World world(std::move(many));
  world.clients.begin({.arrivals = Arrivals::poisson, .sessions_per_hour = 360}, at(0));
  EXPECT_NEAR(static_cast<double>(world.sent_until(3600).size()), 360, 60);
}

}  // namespace
}  // namespace lmw::workload
