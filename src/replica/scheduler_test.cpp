#include "replica/scheduler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replica/testing.hpp"

namespace lmw::replica {
namespace {

using testing::conversation;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::request;
using testing::Stepper;
using testing::tiny_profile;
using testing::with_blocks;
using testing::with_budget;

TEST(Scheduler, IsIdleWithoutWork) { EXPECT_EQ(Stepper().step(), 0); }

TEST(Scheduler, TakesTheTimeThatTheProfileSays) {
  Stepper run;
  run.scheduler.add(request(1, 10, 3));
  EXPECT_EQ(run.step(), 1 + 10 * 0.125 + 10 * 5 / 128.0);
  EXPECT_EQ(run.step(), 1 + 0.25 + 10 / 64.0);
  EXPECT_EQ(run.step(), 1 + 0.25 + 11 / 64.0);
  EXPECT_EQ(run.step(), 0);
}

TEST(Scheduler, IsAsSlowAsItsCard) {
  Profile profile = tiny_profile();
  profile.slow = {1, 2};
  Stepper run(profile, 1);
  run.scheduler.add(request(1, 10, 1));
  EXPECT_EQ(run.step(), 2 * (1 + 10 * 0.125 + 10 * 5 / 128.0));
}

TEST(Scheduler, AddsUpTheDecodingOfAll) {
  Stepper run;
  run.scheduler.add(request(1, 10, 3));
  run.scheduler.add(request(2, 6, 3));
  run.step();
  EXPECT_EQ(run.step(), 1 + 2 * 0.25 + (10 + 6) / 64.0);
}

TEST(Scheduler, EmitsOutputTokensAndThenOneFinish) {
  Stepper run(tiny_profile(), 2);
  run.scheduler.add(request(9, 10, 2));
  const auto events = run.finish();
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].kind, Event::Kind::token);
  EXPECT_EQ(events[0].generated, 1);
  EXPECT_EQ(events[1].kind, Event::Kind::token);
  EXPECT_EQ(events[1].generated, 2);
  EXPECT_EQ(events[2].kind, Event::Kind::finished);
  EXPECT_EQ(events[2].generated, 2);
  EXPECT_EQ(events[2].at, events[1].at);
  EXPECT_EQ(events[2].id, 9U);
  EXPECT_EQ(events[2].replica, 2);
}

TEST(Scheduler, ReadsALongPromptInChunks) {
  Stepper run(with_budget(8));
  run.scheduler.add(request(1, 20, 1));
  EXPECT_EQ(run.step(), 1 + 8 * 0.125 + 8 * 4 / 128.0);
  EXPECT_THAT(run.events, IsEmpty());
  EXPECT_EQ(run.step(), 1 + 8 * 0.125 + 8 * 12 / 128.0);
  EXPECT_THAT(run.events, IsEmpty());
  EXPECT_EQ(run.step(), 1 + 4 * 0.125 + 4 * 18 / 128.0);
  EXPECT_THAT(run.finished(), ElementsAre(1));
}

TEST(Scheduler, GoesOnDecodingWhileALongPromptIsRead) {
  Stepper run(with_budget(8));
  run.scheduler.add(request(1, 4, 10));
  run.step();
  run.scheduler.add(request(2, 20, 2));
  EXPECT_EQ(run.step(), 1 + 7 * 0.125 + 7 * 3.5 / 128 + 0.25 + 4 / 64.0);
  EXPECT_THAT(run.tokens(), ElementsAre(1));
  run.step();
  EXPECT_THAT(run.tokens(), ElementsAre(1));
  run.step();
  EXPECT_THAT(run.tokens(), ElementsAre(1, 2));
}

TEST(Scheduler, FillsTheBudgetWithThePromptsOfSeveral) {
  Stepper run(with_budget(8));
  for (RequestId id = 1; id <= 3; ++id) run.scheduler.add(request(id, 5, 1));
  run.step();  // 5 of the first, 3 of the second
  EXPECT_THAT(run.tokens(), ElementsAre(1));
  run.step();  // 2 of the second, 5 of the third
  EXPECT_THAT(run.tokens(), ElementsAre(2, 3));
}

TEST(Scheduler, RunsNoMoreThanMaxNumSeqs) {
  Profile profile = tiny_profile();
  profile.max_num_seqs = 2;
  Stepper run(profile);
  for (RequestId id = 1; id <= 3; ++id) run.scheduler.add(request(id, 4, 2));
  run.step();
  EXPECT_THAT(run.tokens(), ElementsAre(1, 2));
  EXPECT_EQ(run.scheduler.stats().running, 2);
  EXPECT_EQ(run.scheduler.stats().waiting, 1);
  run.step();
  EXPECT_THAT(run.finished(), ElementsAre(1, 2));
  run.step();
  EXPECT_THAT(run.tokens(), ElementsAre(3));
}

TEST(Scheduler, AdmitsOnlyWhatFitsAsAWhole) {
  Profile profile = with_blocks(8);
  profile.max_num_batched_tokens = 8;
  Stepper run(profile);
  run.scheduler.add(request(1, 8, 4));
  run.step();
  run.scheduler.add(request(2, 28, 1));  // 7 blocks, of which the first chunk alone would fit
  run.step();
  EXPECT_EQ(run.scheduler.stats().running, 1);
  EXPECT_EQ(run.scheduler.stats().waiting, 1);
}

TEST(Scheduler, ServesFirstWhoCameFirstEvenWhenALaterOneWouldFit) {
  Stepper run(with_blocks(8));
  run.scheduler.add(request(1, 12, 3));
  run.step();
  run.scheduler.add(request(2, 24, 1));
  run.scheduler.add(request(3, 4, 1));
  run.step();
  EXPECT_THAT(run.tokens(), ElementsAre(1));
  run.step();
  EXPECT_THAT(run.finished(), ElementsAre(1));
  run.step();
  EXPECT_THAT(run.tokens(), ElementsAre(2, 3));
}

TEST(Scheduler, CountsAsVllmsMetricsDo) {
  Stepper run(with_budget(8));
  run.scheduler.add(request(1, 20, 2));
  run.step();
  EXPECT_EQ(run.scheduler.stats().prefix_cache_queries, 20);
  EXPECT_EQ(run.scheduler.stats().prompt_tokens, 0);
  run.step();
  run.step();
  EXPECT_EQ(run.scheduler.stats().prompt_tokens, 20);
  EXPECT_EQ(run.scheduler.stats().generation_tokens, 1);
  EXPECT_EQ(run.scheduler.stats().kv_used, 5.0 / 64);
  run.step();
  run.run_alone(request(2, conversation(1, 20), 1));
  EXPECT_EQ(run.scheduler.stats().prefix_cache_queries, 40);
  EXPECT_EQ(run.scheduler.stats().prefix_cache_hits, 16);
  EXPECT_EQ(run.scheduler.stats().kv_used, 0);
}

}  // namespace
}  // namespace lmw::replica
