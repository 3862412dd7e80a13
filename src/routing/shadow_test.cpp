#include "routing/shadow.hpp"

#include <gtest/gtest.h>

namespace lmw::routing {
namespace {

class ShadowTest : public testing::Test {
 protected:
  explicit ShadowTest(int ranks = 2, std::int64_t capacity = 10'000) {
    const auto endpoint = replicas_.endpoint("http://127.0.0.1:8000");
    std::vector<std::string> labels;
    for (int i = 0; i < ranks; ++i) labels.push_back(std::to_string(i));
    replicas_.set_ranks(endpoint, labels);
    replicas_[endpoint].up = true;
    for (const auto id : replicas_[endpoint].replicas) replicas_[id].kv_capacity_tokens = capacity;
  }

  // One turn of `trail`, sent and ended.
  std::optional<Counterfactual> turn(ShadowTrail& trail, const TokenCounts& tokens) {
    return shadow_.end(shadow_.send(replicas_, &trail, 0), tokens, &trail);
  }

  ReplicaSet replicas_;
  Shadow shadow_;
};

TEST_F(ShadowTest, SendsToTheFewestInFlight) {
  const auto first = shadow_.send(replicas_, nullptr, 0);
  const auto second = shadow_.send(replicas_, nullptr, 0);
  EXPECT_NE(first.replica, second.replica);
  shadow_.end(first, {}, nullptr);
  EXPECT_EQ(shadow_.send(replicas_, nullptr, 0).replica, first.replica);
}

TEST_F(ShadowTest, StartsElsewhereEachTimeSoThatIdleReplicasTakeTurns) {
  ShadowTrail trail;
  turn(trail, {100, 0, 10});
  EXPECT_EQ(shadow_.send(replicas_, nullptr, 0).replica, ReplicaId(1));
}

TEST_F(ShadowTest, ATurnIsComparedWithWhatItsReplicaOfTheShadowHasHadOfIt) {
  ShadowTrail trail;
  EXPECT_FALSE(turn(trail, {1000, 0, 100})) << "a first turn finds nothing anywhere";
  const auto away = turn(trail, {1200, 1100, 100});  // the other replica's turn
  ASSERT_TRUE(away);
  EXPECT_EQ(away->replica, ReplicaId(1));
  EXPECT_EQ(away->cached, 0);
  EXPECT_EQ(away->saved, 1100);
  const auto back = turn(trail, {1400, 1300, 100});
  EXPECT_EQ(back->cached, 1100) << "of its first turn";
  EXPECT_EQ(back->saved, 200);
}

TEST_F(ShadowTest, WhatIsComputedPushesOutWhatIsOlder) {
  ShadowTrail one;
  ShadowTrail other;
  turn(one, {5000, 0, 0});
  turn(other, {100, 0, 0});   // on replica 1
  turn(other, {7000, 0, 0});  // on replica 0: 2000 of the older 5000 no longer fit
  turn(other, {100, 0, 0});
  EXPECT_EQ(turn(one, {5000, 5000, 0})->cached, 3000);
}

TEST_F(ShadowTest, AReplicaThatHasStartedAnewKeepsNothing) {
  ShadowTrail trail;
  turn(trail, {1000, 0, 0});
  shadow_.forget(ReplicaId(0));
  turn(trail, {1000, 0, 0});
  EXPECT_EQ(turn(trail, {1000, 0, 0})->cached, 0);
}

TEST_F(ShadowTest, WhatConversationsShareIsFoundEverywhere) {
  ShadowTrail known;
  ShadowTrail trail;
  turn(known, {1000, 600, 0});  // a first turn: 600 tokens were there already
  turn(trail, {1000, 0, 0});
  EXPECT_EQ(turn(trail, {1000, 1000, 0})->cached, 600);
}

TEST_F(ShadowTest, NothingIsSaidOfATurnThatWasNotMeasured) {
  ShadowTrail trail;
  turn(trail, {1000, 0, 0});
  EXPECT_FALSE(turn(trail, {1000, std::nullopt, 0}));
  EXPECT_FALSE(turn(trail, {}));
}

TEST_F(ShadowTest, WithoutAReplicaNothingIsFollowed) {
  ShadowTrail trail;
  const auto turn = shadow_.send(ReplicaSet{}, &trail, 0);
  EXPECT_FALSE(turn.replica);
  EXPECT_FALSE(shadow_.end(turn, {1000, 0, 0}, &trail));
}

TEST(ShadowTrail, ForgetsTheReplicaItLeftLongestAgo) {
  ShadowTrail trail;
  for (std::uint32_t i = 0; i < ShadowTrail::limit; ++i) trail.add({ReplicaId(i), i, 0});
  trail.add({ReplicaId(0), 100, 0});
  trail.add({ReplicaId(99), 99, 0});
  EXPECT_FALSE(trail.find(ReplicaId(1)));
  EXPECT_EQ(trail.find(ReplicaId(0))->context, 100);
  EXPECT_EQ(trail.find(ReplicaId(99))->context, 99);
}

}  // namespace
}  // namespace lmw::routing
