#include <gtest/gtest.h>

#include "base/random.hpp"
#include "base/strong_id.hpp"
#include "base/time.hpp"

namespace lmw {
namespace {

TEST(Random, EqualSeedsGiveEqualSequences) {
  Random a(7), b(7);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
}

TEST(Random, BetweenStaysInItsBoundsAndReachesBoth) {
  Random random(1);
  bool low = false, high = false;
  for (int i = 0; i < 1000; ++i) {
    const auto x = random.between(3, 5);
    ASSERT_GE(x, 3);
    ASSERT_LE(x, 5);
    low |= x == 3;
    high |= x == 5;
  }
  EXPECT_TRUE(low && high);
}

TEST(EngineClock, ATimerOnTheWallClockIsShorterByTheScale) {
  EXPECT_EQ(EngineClock(20).wall(std::chrono::seconds(5)), std::chrono::milliseconds(250));
}

TEST(StrongId, ComparesByValue) {
  using Id = StrongId<struct Tag, int>;
  EXPECT_LT(Id(1), Id(2));
  EXPECT_EQ(Id(3), Id(3));
}

}  // namespace
}  // namespace lmw
