#include "report/turn.hpp"

#include <gtest/gtest.h>

#include "report/report.hpp"

namespace lmw::report {
namespace {

Instant at(double s) { return Instant(from_seconds(s)); }
const Window minute{at(60), at(120)};

// A turn of 100 tokens whose content began after `wait`.
Turn turn(std::uint64_t session, double sent, double wait, double done) {
  return {.session = session,
          .sent = at(sent),
          .first = at(sent + wait),
          .done = at(done),
          .prompt_tokens = 1000,
          .cached_tokens = 750,
          .output_tokens = 100};
}

TEST(Quantile, InterpolatesBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5).value(), 2.5);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.95).value(), 7);
  EXPECT_FALSE(quantile({}, 0.5));
}

TEST(Summary, CountsTheTurnsThatEndedInTheWindow) {
  auto last = turn(1, 100, 1, 119);
  last.ends_session = true;
  last.stayed = false;
  auto stayed = turn(1, 70, 3, 80);
  stayed.stayed = true;
  const auto step =
      summarize({turn(1, 40, 1, 59), turn(1, 50, 2, 65), stayed, last, turn(2, 90, 1, 121)}, minute);
  EXPECT_EQ(step.turns, 3);
  EXPECT_EQ(step.tokens_per_min, 300);
  EXPECT_EQ(step.sessions_per_hour, 60);
  EXPECT_DOUBLE_EQ(step.ttfb_p50_s.value(), 2);
  EXPECT_DOUBLE_EQ(step.ttfb_mean_s.value(), 2);
  EXPECT_DOUBLE_EQ(step.turn_p50_s.value(), 15);
  EXPECT_EQ(step.cached_pct, 75);
  EXPECT_EQ(step.computed_tokens, 750);
  EXPECT_EQ(step.stayed_pct, 50);
  EXPECT_EQ(step.failures, 0);
}

TEST(Summary, AFailedTurnIsOnlyAFailure) {
  auto failed = turn(1, 70, 3, 80);
  failed.failed = true;
  const auto step = summarize({failed}, minute);
  EXPECT_EQ(step.failures, 1);
  EXPECT_EQ(step.turns, 0);
  EXPECT_FALSE(step.ttfb_p50_s);
}

TEST(Summary, AStepInWhichNothingEndedHasNoTimesButWaits) {
  Turn waiting{.session = 1, .sent = at(70)};
  const auto step = summarize({waiting}, minute);
  EXPECT_EQ(step.turns, 0);
  EXPECT_FALSE(step.ttfb_p50_s);
  EXPECT_FALSE(step.cached_pct);
  EXPECT_FALSE(step.fairness);
  EXPECT_EQ(step.worst_wait_s, 50);
}

TEST(Summary, TheWorstWaitIsOneSessionsSum) {
  const auto step = summarize({turn(1, 61, 4, 70), turn(1, 71, 5, 80), turn(2, 61, 7, 80)}, minute);
  EXPECT_EQ(step.worst_wait_s, 9);
}

TEST(Summary, FairnessIsOneOnlyWhenAllGetOnAlike) {
  EXPECT_DOUBLE_EQ(summarize({turn(1, 61, 1, 71), turn(2, 81, 1, 91)}, minute).fairness.value(), 1);
  Turn starved{.session = 3, .sent = at(61)};
  EXPECT_DOUBLE_EQ(summarize({turn(1, 61, 1, 71), starved}, minute).fairness.value(), 0.5);
}

}  // namespace
}  // namespace lmw::report
