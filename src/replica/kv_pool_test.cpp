#include "replica/kv_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lmw::replica {
namespace {

using ::testing::ElementsAre;

std::vector<BlockId> take(KvPool& pool, int count) {
  std::vector<BlockId> blocks;
  for (int i = 0; i < count; ++i) blocks.push_back(pool.take());
  return blocks;
}

// Takes blocks and publishes them under the keys first, first + 1, ...
std::vector<BlockId> take_as(KvPool& pool, int count, BlockKey first) {
  const auto blocks = take(pool, count);
  for (const BlockId block : blocks) pool.publish(block, first++);
  return blocks;
}

TEST(KvPool, HandsOutEachBlockOnce) {
  KvPool pool(3);
  EXPECT_THAT(take(pool, 3), ElementsAre(0, 1, 2));
  EXPECT_EQ(pool.free_blocks(), 0);
}

TEST(KvPool, FindsFreedBlocksUntilTheyAreTakenAgain) {
  KvPool pool(2);
  const auto blocks = take_as(pool, 1, 7);
  pool.release(blocks);
  EXPECT_EQ(pool.free_blocks(), 2);
  EXPECT_EQ(pool.find(7), blocks[0]);
  take(pool, 2);
  EXPECT_EQ(pool.find(7), kNoBlock);
}

TEST(KvPool, EvictsTheLongestFreeFirst) {
  KvPool pool(3);
  const auto a = take_as(pool, 1, 1);
  const auto b = take_as(pool, 1, 2);
  const auto c = take_as(pool, 1, 3);
  pool.release(b);
  pool.release(c);
  pool.release(a);
  EXPECT_THAT(take(pool, 3), ElementsAre(b[0], c[0], a[0]));
}

TEST(KvPool, EvictsTheTailOfAPrefixBeforeItsHead) {
  KvPool pool(4);
  const auto chain = take_as(pool, 4, 10);
  pool.release(chain);
  take(pool, 2);
  EXPECT_EQ(pool.find(10), chain[0]);
  EXPECT_EQ(pool.find(11), chain[1]);
  EXPECT_EQ(pool.find(12), kNoBlock);
  EXPECT_EQ(pool.find(13), kNoBlock);
}

TEST(KvPool, HoldingAFreeBlockAgainMakesItTheLastToGo) {
  KvPool pool(2);
  const auto a = take_as(pool, 1, 1);
  const auto b = take_as(pool, 1, 2);
  pool.release(a);
  pool.release(b);
  pool.hold(a[0]);
  pool.release(a);
  EXPECT_THAT(take(pool, 2), ElementsAre(b[0], a[0]));
}

TEST(KvPool, NeverEvictsWhatAnyoneHolds) {
  KvPool pool(3);
  const auto shared = take_as(pool, 1, 5);
  pool.hold(shared[0]);
  pool.release(shared);
  EXPECT_FALSE(pool.is_free(shared[0]));
  EXPECT_EQ(pool.free_blocks(), 2);
  take(pool, 2);
  EXPECT_EQ(pool.find(5), shared[0]);
  pool.release(shared);
  EXPECT_TRUE(pool.is_free(shared[0]));
}

TEST(KvPool, FindsTheOldestOfEqualBlocksAndTheNextWhenItGoes) {
  KvPool pool(2);
  const auto older = take_as(pool, 1, 5);
  const auto newer = take_as(pool, 1, 5);
  EXPECT_EQ(pool.find(5), older[0]);
  pool.release(older);
  EXPECT_EQ(pool.take(), older[0]);
  EXPECT_EQ(pool.find(5), newer[0]);
}

TEST(KvPool, CountsEachBlockThatBecomesFree) {
  KvPool pool(3);
  EXPECT_EQ(pool.releases(), 0U);
  const auto blocks = take(pool, 2);
  pool.hold(blocks[0]);
  pool.release(blocks);
  EXPECT_EQ(pool.releases(), 1U);
}

}  // namespace
}  // namespace lmw::replica
