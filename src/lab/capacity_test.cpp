#include "lab/capacity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workload/synthetic_plan.hpp"

namespace lmw::lab {
namespace {

using ::testing::ElementsAre;

TEST(Capacity, CountsWhatIsSharedOnce) {
  EXPECT_EQ(sessions_that_fit({.context = 58'000, .shared = 0}, 156'000), 2);
  EXPECT_EQ(sessions_that_fit({.context = 58'000, .shared = 14'000}, 156'000), 3);
  EXPECT_EQ(sessions_that_fit({.context = 200'000, .shared = 0}, 156'000), 0);
}

TEST(Capacity, SessionsGrowToTheirContextAndNotBeyond) {
  for (const Agents agents :
       {Agents{}, Agents{.context = 1000, .shared = 1000}, Agents{.context = 500'000}}) {
    const auto last = workload::plan_session(shape_of(agents), 16, 1).agents.front().turns.back();
    EXPECT_LE(last.prompt_tokens + last.output_tokens, agents.context + 40);
    EXPECT_GT(last.prompt_tokens + last.output_tokens, agents.context * 0.98 - 40);
  }
}

TEST(Capacity, TriesFewerAndMoreThanFit) {
  EXPECT_THAT(around(14), ElementsAre(7, 10, 14, 17, 21, 28));
  EXPECT_THAT(around(1), ElementsAre(1, 2));
}

}  // namespace
}  // namespace lmw::lab
