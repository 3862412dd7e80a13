#include "replica/balancer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replica/testing.hpp"

namespace lmw::replica {
namespace {

using testing::at;
using ::testing::Each;
using ::testing::ElementsAre;

using Loads = std::vector<ReplicaLoad>;

// Chooses and sends `count` times through the first API server, all at once.
std::vector<int> burst(LoadBalancer& balancer, const Loads& loads, int count, Instant now = at(1)) {
  std::vector<int> chosen;
  for (int i = 0; i < count; ++i) {
    chosen.push_back(balancer.choose(0, loads, now));
    balancer.sent(0, chosen.back());
  }
  return chosen;
}

TEST(BlindBalancer, GoesRoundWhateverTheLoad) {
  LoadBalancer balancer(Balancer::engine_0_26, 4, 1);
  const Loads loads{{.waiting = 9, .running = 9, .kv_used = 1}, {}, {}, {}};
  EXPECT_THAT(burst(balancer, loads, 6), ElementsAre(0, 1, 2, 3, 0, 1));
}

TEST(BlindBalancer, GoesRoundFromAnotherReplicaInEachApiServer) {
  LoadBalancer balancer(Balancer::engine_0_26, 4, 4);
  std::vector<int> chosen;
  for (int server = 0; server < 4; ++server) chosen.push_back(balancer.choose(server, Loads(4), at(1)));
  EXPECT_THAT(chosen, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(balancer.choose(0, Loads(4), at(2)), 1);
}

TEST(LegacyBalancer, WeighsAWaitingRequestAsFourRunning) {
  LoadBalancer balancer(Balancer::engine_legacy, 2, 1);
  EXPECT_EQ(balancer.choose(0, Loads{{.waiting = 1, .running = 0}, {.waiting = 0, .running = 3}}, at(1)), 1);
  EXPECT_EQ(balancer.choose(0, Loads{{.waiting = 1, .running = 0}, {.waiting = 0, .running = 5}}, at(2)), 0);
}

TEST(LegacyBalancer, GivesTiesToTheSameReplicaEachTime) {
  LoadBalancer balancer(Balancer::engine_legacy, 4, 1);
  std::vector<int> chosen;
  for (int i = 1; i <= 4; ++i) chosen.push_back(balancer.choose(0, Loads(4), at(i)));
  EXPECT_THAT(chosen, Each(0));
}

TEST(LegacyBalancer, CountsItsOwnChoicesUntilTheNextLook) {
  LoadBalancer balancer(Balancer::engine_legacy, 2, 1);
  const Loads loads{{.waiting = 0, .running = 0}, {.waiting = 0, .running = 5}};
  EXPECT_THAT(burst(balancer, loads, 3, at(1)), ElementsAre(0, 0, 1));  // 0, 4 and 8 against 5
  EXPECT_THAT(burst(balancer, loads, 1, at(1.099)), ElementsAre(0));    // 8 against 9
  EXPECT_THAT(burst(balancer, loads, 2, at(1.1)), ElementsAre(0, 0));   // a fresh look
}

TEST(LoadAwareBalancer, AvoidsTheLoadedReplicas) {
  LoadBalancer balancer(Balancer::engine, 4, 1);
  const Loads loads{{.running = 5}, {.running = 2}, {.running = 7}, {.running = 2}};
  EXPECT_THAT(burst(balancer, loads, 2), ElementsAre(1, 3));
}

TEST(LoadAwareBalancer, SpreadsABurst) {
  LoadBalancer balancer(Balancer::engine, 4, 1);
  EXPECT_THAT(burst(balancer, Loads(4), 8), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
}

TEST(LoadAwareBalancer, GivesTiesToEachInTurn) {
  LoadBalancer balancer(Balancer::engine, 4, 1);
  std::vector<int> chosen;
  for (int i = 1; i <= 5; ++i) chosen.push_back(balancer.choose(0, Loads(4), at(i)));
  EXPECT_THAT(chosen, ElementsAre(0, 1, 2, 3, 0));
}

TEST(LoadAwareBalancer, KnowsItsOwnRequestsWhateverTheReportsSay) {
  LoadBalancer balancer(Balancer::engine, 2, 2);
  balancer.sent(0, 0);  // pinned by the client, and in no report yet
  EXPECT_EQ(balancer.choose(0, Loads(2), at(1)), 1);
  balancer.ended(0, 0);
  EXPECT_EQ(balancer.choose(1, Loads(2), at(2)), 1);  // where its scan starts: it never knew of that request
}

TEST(LoadAwareBalancer, ScalesItsOwnRequestsByTheApiServers) {
  LoadBalancer balancer(Balancer::engine, 2, 4);
  balancer.sent(0, 0);
  EXPECT_EQ(balancer.choose(0, Loads{{.running = 1}, {.running = 3}}, at(1)), 1);  // 4 × 1 against 3
  EXPECT_EQ(balancer.choose(0, Loads{{.running = 1}, {.running = 5}}, at(2)), 0);  // 4 × 1 against 5
}

TEST(LoadAwareBalancer, ShunsAQueueAtAFullCache) {
  LoadBalancer balancer(Balancer::engine, 2, 1);
  const ReplicaLoad running{.waiting = 0, .running = 4};
  // 2 + 2 × 6 × 0.25 = 5 against 4; at half a cache there is no penalty.
  EXPECT_EQ(balancer.choose(0, Loads{{.waiting = 2, .running = 0, .kv_used = 0.75}, running}, at(1)), 1);
  EXPECT_EQ(balancer.choose(0, Loads{{.waiting = 2, .running = 0, .kv_used = 0.5}, running}, at(2)), 0);
}

}  // namespace
}  // namespace lmw::replica
