#include "workload/synthetic_plan.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lmw::workload {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

TEST(SyntheticPlan, HasThePublishedShape) {
  const auto agent = plan_session({}, 16, 1).agents.front();
  ASSERT_EQ(agent.turns.size(), 6U);
  EXPECT_EQ(agent.system_tokens, 3488) << "whole blocks of 3,500";
  EXPECT_THAT(agent.turns[0].prompt_tokens, AllOf(Ge(3500 + 7200), Le(3500 + 7500)));
  for (std::size_t i = 0; i < agent.turns.size(); ++i) {
    const auto& turn = agent.turns[i];
    EXPECT_THAT(turn.output_tokens, AllOf(Ge(80), Le(256)));
    if (i == 0) continue;
    const auto& before = agent.turns[i - 1];
    EXPECT_THAT(turn.prompt_tokens - before.prompt_tokens - before.output_tokens, AllOf(Ge(360), Le(440)));
  }
}

TEST(SyntheticPlan, GeneratesTheFullOutputInMostTurns) {
  int full = 0, turns = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (const auto& turn : plan_session({.first_low = 1, .first_high = 1}, 16, seed).agents.front().turns) {
      ++turns;
      full += turn.output_tokens == 256;
    }
  }
  EXPECT_NEAR(static_cast<double>(full) / turns, 0.85, 0.03);
}

TEST(SyntheticPlan, CanBeOneTurnLong) {
  EXPECT_EQ(plan_session({.turns_low = 1, .turns_high = 1}, 16, 1).agents.front().turns.size(), 1U);
}

int common_blocks(const Turn& a, const Turn& b) { return count_common_blocks(a.content, b.content); }

TEST(SyntheticPlan, SharesTheSystemPromptAndContinuesEachTurn) {
  const auto a = plan_session({}, 16, 1).agents.front().turns;
  const auto b = plan_session({}, 16, 2).agents.front().turns;
  EXPECT_EQ(common_blocks(a[0], b[0]), 3500 / 16);
  EXPECT_EQ(common_blocks(a[0], a[1]), (a[0].prompt_tokens + a[0].output_tokens) / 16);
}

TEST(SyntheticPlan, ForksSubAgentsThatShareAPromptOfTheirOwn) {
  const auto session = plan_session({.subagents = {.count = 2}}, 16, 1);
  ASSERT_EQ(session.agents.size(), 3U);
  EXPECT_EQ(session.agents[1].after, 2);
  EXPECT_EQ(session.agents[1].joined_by, 3);
  EXPECT_EQ(common_blocks(session.agents[1].turns[0], session.agents[2].turns[0]), 2000 / 16);
  EXPECT_EQ(common_blocks(session.agents[0].turns[0], session.agents[1].turns[0]), 0);
  EXPECT_EQ(plan_session({.turns_low = 3, .turns_high = 3, .subagents = {.count = 2}}, 16, 1).agents.size(),
            1U);
}

TEST(SessionSizes, AreHeavyInAShareOfTheSessions) {
  const SessionShape shape{.heavy_share = 0.25, .heavy_factor = 3, .heavy_turns = 14};
  int heavy = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto turns = plan_session(shape, 16, seed).agents.front().turns;
    heavy += turns.size() == 14;
    EXPECT_EQ(turns.size() == 14, turns.front().prompt_tokens > 3500 + 3 * 7200 - 1);
  }
  EXPECT_NEAR(heavy, 100, 25);
}

TEST(ThinkTime, HasItsMedianAndTail) {
  Random random(1);
  std::vector<double> drawn;
  for (int i = 0; i < 4000; ++i) drawn.push_back(seconds(ThinkTime{3, 60}.draw(random)));
  std::ranges::sort(drawn);
  EXPECT_NEAR(drawn[2000], 3, 0.4);
  EXPECT_NEAR(drawn[3800], 60, 12);
  EXPECT_EQ(ThinkTime{}.draw(random), Duration{});
}

TEST(BlockRuns, JoinWhatGoesOnAndCutWhatIsAskedFor) {
  std::vector<BlockRun> runs;
  append(runs, {10, 2});
  append(runs, {12, 3});
  append(runs, {40, 1});
  append(runs, {41, 0});
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(count_blocks(runs), 6);
  std::vector<BlockRun> part;
  append_part(part, runs, 1, 6);
  EXPECT_EQ(block_numbers(part), (std::vector<std::uint64_t>{11, 12, 13, 14, 40}));
  part.clear();
  append_part(part, runs, 5, 100);
  EXPECT_EQ(block_numbers(part), (std::vector<std::uint64_t>{40}));
}

}  // namespace
}  // namespace lmw::workload
