#include "bench/experiment.hpp"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lmw::bench {
namespace {

using ::testing::ElementsAre;

std::vector<std::size_t> arms_in(const std::vector<Run>& runs) {
  std::vector<std::size_t> arms;
  for (const auto& run : runs) arms.push_back(run.arm);
  return arms;
}

TEST(Order, GoesForthAndBack) {
  EXPECT_THAT(arms_in(order_of(2, 3, Order::abba, 1)), ElementsAre(0, 1, 1, 0, 0, 1));
  EXPECT_THAT(arms_in(order_of(3, 2, Order::abba, 1)), ElementsAre(0, 1, 2, 2, 1, 0));
}

TEST(Order, ShufflesEachRepeatAndDependsOnTheSeedAlone) {
  const auto runs = order_of(4, 50, Order::shuffle, 7);
  ASSERT_EQ(runs.size(), 200U);
  std::map<std::size_t, int> first;
  for (std::size_t i = 0; i < runs.size(); i += 4) {
    std::vector<std::size_t> round = arms_in(
        {runs.begin() + static_cast<std::ptrdiff_t>(i), runs.begin() + static_cast<std::ptrdiff_t>(i + 4)});
    ++first[round.front()];
    std::ranges::sort(round);
    EXPECT_THAT(round, ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(runs[i].repeat, static_cast<int>(i / 4));
  }
  for (const auto& [arm, times] : first) EXPECT_GT(times, 4) << arm;
  EXPECT_EQ(arms_in(order_of(4, 50, Order::shuffle, 7)), arms_in(runs));
  EXPECT_NE(arms_in(order_of(4, 50, Order::shuffle, 8)), arms_in(runs));
}

TEST(Arms, HaveNamesAndOnlyAsIsChangesNothing) {
  for (const auto& arm : arms()) {
    EXPECT_EQ(find_arm(arm.name), &arm);
    EXPECT_EQ(arm.changes_nothing(), arm.name == "as-is");
  }
  EXPECT_EQ(find_arm("none"), nullptr);
}

}  // namespace
}  // namespace lmw::bench
