#include "workload/synthetic_plan.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "workload/synthetic_session.hpp"

namespace lmw::workload {
namespace {

TEST(SyntheticPlan, HasTheSizesOfTheSessionAsText) {
  const SessionShape shape{.turns_low = 3, .turns_high = 9, .think = {3, 60}};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SyntheticSession text(shape, seed, "salt");
    const auto plan = plan_session(shape, 16, seed);
    int tokens = shape.shared_tokens;
    for (const auto& turn : plan.agents.front().turns) {
      const auto next = text.next();
      tokens += static_cast<int>(std::ranges::count(next.new_user_text, ' '));
      EXPECT_EQ(turn.prompt_tokens, tokens);
      EXPECT_EQ(turn.output_tokens, next.max_tokens);
      EXPECT_EQ(turn.gap, next.think);
      tokens += next.max_tokens;
      EXPECT_EQ(next.last, &turn == &plan.agents.front().turns.back());
    }
  }
}

std::size_t common_blocks(const Turn& a, const Turn& b) {
  const auto first = block_numbers(a.content), second = block_numbers(b.content);
  return static_cast<std::size_t>(std::ranges::mismatch(first, second).in1 - first.begin());
}

TEST(SyntheticPlan, SharesTheSystemPromptAndContinuesEachTurn) {
  const auto a = plan_session({}, 16, 1).agents.front().turns;
  const auto b = plan_session({}, 16, 2).agents.front().turns;
  EXPECT_EQ(common_blocks(a[0], b[0]), 3500U / 16);
  EXPECT_EQ(common_blocks(a[0], a[1]),
            static_cast<std::size_t>(a[0].prompt_tokens + a[0].output_tokens) / 16);
}

TEST(SyntheticPlan, ForksSubAgentsThatShareAPromptOfTheirOwn) {
  const auto session = plan_session({.subagents = {.count = 2}}, 16, 1);
  ASSERT_EQ(session.agents.size(), 3U);
  EXPECT_EQ(session.agents[1].after, 2);
  EXPECT_EQ(session.agents[1].joined_by, 3);
  EXPECT_EQ(common_blocks(session.agents[1].turns[0], session.agents[2].turns[0]), 2000U / 16);
  EXPECT_EQ(common_blocks(session.agents[0].turns[0], session.agents[1].turns[0]), 0U);
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
