#include "replica/block_lru.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace lmw::replica {
namespace {

using Blocks = std::vector<std::uint64_t>;

TEST(BlockLru, FindsOnlyLeadingBlocks) {
  BlockLru cache(10);
  cache.use(Blocks{1, 2, 3});
  EXPECT_EQ(cache.leading_hits(Blocks{1, 2, 4, 3}), 2U);
  EXPECT_EQ(cache.leading_hits(Blocks{4, 1, 2}), 0U);
}

TEST(BlockLru, EvictsTailsOfTheLongestUnusedFirst) {
  BlockLru cache(5);
  cache.use(Blocks{1, 2, 3});
  cache.use(Blocks{11, 12, 13});
  EXPECT_EQ(cache.leading_hits(Blocks{1, 2, 3}), 2U);
  EXPECT_EQ(cache.leading_hits(Blocks{11, 12, 13}), 3U);
}

TEST(BlockLru, KeepsTheHeadOfWhatIsLargerThanItself) {
  BlockLru cache(2);
  cache.use(Blocks{1, 2, 3});
  EXPECT_EQ(cache.leading_hits(Blocks{1, 2, 3}), 2U);
}

}  // namespace
}  // namespace lmw::replica
