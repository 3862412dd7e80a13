#include "routing/shadow.hpp"

#include <tuple>

#include <gtest/gtest.h>

namespace lmw::routing {
namespace {

class ShadowTest : public testing::Test {
 protected:
  ShadowTest() {
    const auto endpoint = replicas_.endpoint("http://127.0.0.1:8000");
    replicas_.set_ranks(endpoint, {"0", "1"});
    replicas_[endpoint].up = true;
    for (const auto id : replicas_[endpoint].replicas) replicas_[id].kv_capacity_tokens = 16'000;
  }

  ShadowTurn send(std::uint64_t conversation, bool first = false) {
    return shadow_.send({.conversation = ConversationKey(conversation), .first = first, .begins = first});
  }
  // One turn, sent and ended. While nothing else is in flight the replicas take turns.
  std::optional<Counterfactual> turn(std::uint64_t conversation, const TokenCounts& tokens,
                                     bool first = false) {
    return shadow_.end(send(conversation, first), tokens);
  }

  ReplicaSet replicas_;
  Shadow shadow_{replicas_};
};

TEST_F(ShadowTest, SendsToTheFewestInFlight) {
  const auto first = send(1);
  EXPECT_NE(send(2).replica, first.replica);
  shadow_.end(first, {});
  EXPECT_EQ(send(3).replica, first.replica);
}

TEST_F(ShadowTest, IdleReplicasTakeTurns) {
  const auto first = send(1);
  shadow_.end(first, {});
  const auto second = send(1);
  shadow_.end(second, {});
  EXPECT_NE(second.replica, first.replica);
  EXPECT_EQ(send(1).replica, first.replica);
}

TEST_F(ShadowTest, ATurnIsComparedWithWhatItsReplicaOfTheShadowHasHadOfIt) {
  EXPECT_FALSE(turn(1, {1600, 0, 160}, true)) << "a first turn finds nothing anywhere";
  const auto away = turn(1, {1920, 1760, 160});
  ASSERT_TRUE(away);
  EXPECT_EQ(away->cached, 0);
  EXPECT_EQ(away->saved, 1760);
  const auto back = turn(1, {2240, 2080, 160});
  EXPECT_EQ(back->cached, 1760) << "of its first turn";
  EXPECT_EQ(back->saved, 320);
}

TEST_F(ShadowTest, WhatWasUsedLongestAgoIsPushedOutFromItsEnd) {
  turn(1, {4800, 0, 0});
  turn(9, {160, 0, 0});  // on the other replica, as all with 9
  turn(2, {8000, 0, 0});
  turn(9, {160, 0, 0});
  turn(1, {4800, 0, 0});  // used again
  turn(9, {160, 0, 0});
  turn(3, {6400, 0, 0});  // 19,200 in all: 3,200 of the second conversation go
  turn(9, {160, 0, 0});
  EXPECT_EQ(turn(2, {8000, 0, 0})->cached, 4800);
  turn(9, {160, 0, 0});
  EXPECT_EQ(turn(1, {4800, 0, 0})->cached, 1600) << "the second one's 8,000 have pushed 3,200 of it out";
}

TEST_F(ShadowTest, ReplicasKeepABoundedNumberOfConversations) {
  for (std::uint64_t i = 0; i <= 2 * Shadow::most_kept; ++i) turn(i, {16, 0, 0});
  EXPECT_EQ(turn(1, {16, 0, 0})->cached, 16);  // one of 256
  EXPECT_EQ(turn(0, {16, 0, 0})->cached, 0);   // one of 257
}

TEST_F(ShadowTest, WhatIsPushedOutWhileATurnWaitsIsNotFound) {
  turn(1, {9600, 0, 0});
  turn(9, {100, 0, 0});
  const auto waits = send(1);
  std::ignore = send(9);                // to the other replica
  shadow_.end(send(2), {14400, 0, 0});  // after the two: to the first replica again
  EXPECT_EQ(shadow_.end(waits, {9600, 0, 0})->cached, 1600);
}

TEST_F(ShadowTest, WhatIsPushedOutAfterItsPromptWasReadWasFound) {
  turn(1, {9600, 0, 0});
  turn(9, {100, 0, 0});
  auto reads = send(1);
  shadow_.read(reads);
  std::ignore = send(9);  // to the other replica
  shadow_.end(send(2), {14400, 0, 0});
  EXPECT_EQ(shadow_.end(reads, {9600, 0, 0})->cached, 9600);
}

TEST_F(ShadowTest, AReplicaThatHasStartedAnewKeepsNothing) {
  turn(1, {1600, 0, 0});
  turn(1, {1600, 0, 0});
  const auto next = send(1);
  shadow_.forget(*next.replica);
  EXPECT_EQ(shadow_.end(next, {1600, 0, 0})->cached, 0);
  EXPECT_EQ(turn(1, {1600, 0, 0})->cached, 1600) << "the other one still runs";
}

TEST_F(ShadowTest, WhatConversationsShareIsFoundEverywhereAndCountsOnce) {
  turn(1, {9600, 6400, 0}, true);  // a first turn: 6,400 tokens were there already
  turn(2, {9600, 0, 0}, true);
  EXPECT_EQ(turn(3, {9600, 9600, 0})->cached, 6400);
  turn(9, {6400, 0, 0});
  EXPECT_EQ(turn(1, {9600, 9600, 0})->cached, 9600) << "6,400 + 2 × 3,200 fit";
}

TEST_F(ShadowTest, NothingIsSaidOfATurnWhosePromptHasChanged) {
  turn(1, {1600, 0, 0}, true);
  auto other = send(1);
  other.changed = true;
  EXPECT_FALSE(shadow_.end(other, {1600, 0, 0}));
}

TEST_F(ShadowTest, OnlyWholeBlocksAreFound) {
  turn(1, {1000, 0, 100}, true);
  turn(1, {1000, 0, 100});
  EXPECT_EQ(turn(1, {1200, 1088, 0})->cached, 1088);
}

TEST_F(ShadowTest, NothingIsSaidOfATurnThatWasNotMeasured) {
  turn(1, {1000, 0, 0}, true);
  EXPECT_FALSE(turn(1, {1000, std::nullopt, 0}));
  EXPECT_FALSE(turn(1, {}));
}

TEST_F(ShadowTest, WithoutAReplicaNothingIsFollowed) {
  replicas_[EndpointId(0)].up = false;
  const auto turn = send(1);
  EXPECT_FALSE(turn.replica);
  EXPECT_FALSE(shadow_.end(turn, {1000, 0, 0}));
}

}  // namespace
}  // namespace lmw::routing
