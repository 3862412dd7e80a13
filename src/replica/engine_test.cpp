#include "replica/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replica/testing.hpp"

namespace lmw::replica {
namespace {

using testing::at;
using testing::conversation;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::request;
using testing::tiny_profile;

EngineOptions options(int replicas, Balancer balancer = Balancer::engine) {
  return {.profile = tiny_profile(), .replicas = replicas, .balancer = balancer};
}

// A decoding step takes 1 s whatever the context; a prompt of 8 tokens takes 2 s.
EngineOptions round_times(int replicas) {
  EngineOptions made = options(replicas);
  made.profile.cost = {.base = 1, .prefill = 0.125, .attn = 0, .seq = 0, .kvread = 0};
  return made;
}

std::vector<double> times(const std::vector<Event>& events) {
  std::vector<double> seconds_of;
  for (const Event& event : events) seconds_of.push_back(seconds(event.at.time_since_epoch()));
  return seconds_of;
}

TEST(Engine, IsIdleUntilARequestComes) {
  Engine engine(options(2));
  EXPECT_EQ(engine.next_due(), std::nullopt);
  EXPECT_THAT(engine.advance(at(10)), IsEmpty());
}

TEST(Engine, RunsARequestAtItsTimes) {
  Engine engine(round_times(1));
  engine.submit(request(1, 8, 3), 0, at(5));
  EXPECT_EQ(engine.next_due(), at(7));
  EXPECT_THAT(engine.advance(at(6.9)), IsEmpty());
  EXPECT_THAT(times(engine.advance(at(7))), ElementsAre(7));
  EXPECT_EQ(engine.next_due(), at(8));
  EXPECT_THAT(times(engine.advance(at(100))), ElementsAre(8, 9, 9));
  EXPECT_EQ(engine.next_due(), std::nullopt);
}

TEST(Engine, GivesTheSameEventsHoweverLateItIsAdvanced) {
  const auto run = [](double every) {
    Engine engine(options(2));
    std::vector<double> all;
    engine.submit(request(1, 20, 9), 0, at(0));
    engine.submit(request(2, 30, 5), 1, at(0));
    engine.submit(request(3, 10, 7), 0, at(3));
    for (double now = 3; now < 60; now += every) {
      for (const double time : times(engine.advance(at(now)))) all.push_back(time);
    }
    return all;
  };
  EXPECT_EQ(run(0.25).size(), 24U);
  EXPECT_EQ(run(0.25), run(57.0 / 2));
}

TEST(Engine, LetsALateRequestChangeNothingThatHappenedBefore) {
  Engine engine(round_times(1));
  engine.submit(request(1, 8, 3), 0, at(0));
  engine.submit(request(2, 8, 1), 0, at(3.5));  // nobody advanced since 0
  EXPECT_EQ(engine.next_due(), at(2));
  EXPECT_THAT(times(engine.advance(at(60))), ElementsAre(2, 3, 4, 4, 6, 6));
}

TEST(Engine, OrdersEventsByTimeAndThenByReplica) {
  Engine engine(round_times(3));
  engine.submit(request(1, 8, 1), 2, at(0));
  engine.submit(request(2, 16, 1), 0, at(0));
  engine.submit(request(3, 8, 1), 1, at(0));
  std::vector<RequestId> ids;
  for (const Event& event : engine.advance(at(9))) {
    if (event.kind == Event::Kind::finished) ids.push_back(event.id);
  }
  EXPECT_THAT(ids, ElementsAre(3, 1, 2));
}

TEST(Engine, HonoursTheRank) {
  Engine engine(options(4));
  EXPECT_EQ(engine.submit(request(1, 8, 1), 3, at(0)), 3);
  EXPECT_EQ(engine.submit(request(2, 8, 1), 3, at(0)), 3);
  EXPECT_EQ(engine.stats(3).running + engine.stats(3).waiting, 2);
}

TEST(Engine, BalancesRequestsWithoutARank) {
  Engine engine(options(4));
  engine.submit(request(1, 8, 50), 0, at(0));
  engine.submit(request(2, 8, 50), 0, at(0));
  std::vector<int> chosen;
  for (RequestId id = 3; id < 6; ++id) chosen.push_back(engine.submit(request(id, 8, 50), {}, at(id)));
  EXPECT_THAT(chosen, ::testing::UnorderedElementsAre(1, 2, 3));
}

TEST(Engine, TellsTheBalancerWhenARequestHasEnded) {
  Engine engine(options(2));
  engine.submit(request(1, 8, 1), 0, at(0));
  engine.submit(request(2, 8, 50), 1, at(0));
  EXPECT_EQ(engine.submit(request(3, 8, 50), {}, at(20)), 0);
  engine.submit(request(4, 8, 50), 0, at(20));
  engine.abort(2, at(21));
  EXPECT_EQ(engine.submit(request(5, 8, 50), {}, at(22)), 1);
}

TEST(Engine, DrawsTheApiServerFromTheSeed) {
  const auto choices = [](std::uint64_t seed) {
    EngineOptions made = options(4, Balancer::engine_0_26);
    made.api_servers = 4;
    made.seed = seed;
    Engine engine(made);
    std::vector<int> chosen;
    for (RequestId id = 0; id < 12; ++id) chosen.push_back(engine.submit(request(id, 8, 1), {}, at(0)));
    return chosen;
  };
  EXPECT_EQ(choices(1), choices(1));
  EXPECT_NE(choices(1), choices(2));
}

TEST(Engine, KeepsTheCachesOfItsReplicasApart) {
  Engine engine(options(2));
  engine.submit(request(1, conversation(1, 17), 1), 0, at(0));
  engine.advance(at(100));
  engine.submit(request(2, conversation(1, 17), 1), 0, at(100));
  engine.submit(request(3, conversation(1, 17), 1), 1, at(100));
  for (const Event& event : engine.advance(at(200))) EXPECT_EQ(event.cached_tokens, event.id == 2 ? 16 : 0);
}

TEST(Engine, SaysNothingMoreOfAnAbortedRequest) {
  Engine engine(round_times(1));
  engine.submit(request(1, 8, 9), 0, at(0));
  engine.submit(request(2, 8, 9), 0, at(0));
  engine.abort(1, at(5));  // its first tokens came out meanwhile, and nobody has seen them
  const auto events = engine.advance(at(100));
  ASSERT_EQ(events.size(), 10U);
  for (const Event& event : events) EXPECT_EQ(event.id, 2U);
  EXPECT_EQ(engine.stats(0).kv_used, 0);
  engine.abort(1, at(100));
  engine.abort(77, at(100));
}

TEST(Engine, FreesTheBlocksOfAnAbortedRequestAtOnce) {
  Engine engine(options(1));
  engine.submit(request(1, 20, 9), 0, at(0));
  EXPECT_GT(engine.stats(0).kv_used, 0);
  engine.abort(1, at(0.5));
  EXPECT_EQ(engine.stats(0).kv_used, 0);
  EXPECT_EQ(engine.stats(0).running, 0);
}

TEST(Engine, FreezesAHungReplicaAndGoesOnWhereItStood) {
  Engine engine(round_times(2));
  engine.submit(request(1, 8, 2), 0, at(0));
  engine.submit(request(2, 8, 2), 1, at(0));
  engine.hang(0, true, at(1.5));
  engine.submit(request(3, 8, 1), 0, at(2));
  EXPECT_THAT(times(engine.advance(at(50))), ElementsAre(2, 3, 3));
  EXPECT_EQ(engine.next_due(), std::nullopt);
  EXPECT_EQ(engine.stats(0).running, 1);
  EXPECT_EQ(engine.stats(0).waiting, 1);
  engine.hang(0, false, at(60));
  EXPECT_THAT(times(engine.advance(at(100))), ElementsAre(60.5, 62.5, 62.5, 62.5, 62.5));
}

TEST(Engine, StartsWhatCameWhileAnIdleReplicaHung) {
  Engine engine(round_times(1));
  engine.hang(0, true, at(0));
  engine.submit(request(1, 8, 1), 0, at(1));
  EXPECT_EQ(engine.next_due(), std::nullopt);
  engine.hang(0, false, at(4));
  EXPECT_EQ(engine.next_due(), at(6));
}

TEST(Engine, AbortsAtAHungReplica) {
  Engine engine(round_times(1));
  engine.submit(request(1, 8, 5), 0, at(0));
  engine.hang(0, true, at(1));
  engine.abort(1, at(2));
  EXPECT_EQ(engine.stats(0).kv_used, 0);
  engine.hang(0, false, at(3));
  EXPECT_THAT(engine.advance(at(100)), IsEmpty());
}

TEST(Engine, ForgetsEverythingWhenItRestarts) {
  Engine engine(options(2));
  engine.submit(request(1, conversation(1, 17), 1), 0, at(0));
  engine.advance(at(50));
  engine.submit(request(2, 8, 50), 0, at(50));
  engine.hang(1, true, at(55));
  engine.restart(at(60));
  EXPECT_EQ(engine.next_due(), std::nullopt);
  EXPECT_EQ(engine.stats(0).running, 0);
  EXPECT_EQ(engine.stats(0).prompt_tokens, 0);
  EXPECT_EQ(engine.stats(0).kv_used, 0);
  engine.submit(request(2, conversation(1, 17), 1), 0, at(60));
  engine.submit(request(3, 8, 1), 1, at(60));
  const auto events = engine.advance(at(100));
  ASSERT_EQ(events.size(), 4U);
  for (const Event& event : events) EXPECT_EQ(event.cached_tokens, 0);
}

}  // namespace
}  // namespace lmw::replica
