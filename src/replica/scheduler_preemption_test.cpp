#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replica/scheduler.hpp"
#include "replica/testing.hpp"

namespace lmw::replica {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::request;
using testing::Stepper;
using testing::with_blocks;
using testing::with_budget;

TEST(SchedulerPreemption, PreemptsTheLastAdmittedAndComputesItAgain) {
  Stepper run(with_blocks(8));
  run.scheduler.add(request(1, 12, 10));
  run.scheduler.add(request(2, 12, 10));
  for (int i = 0; i < 5; ++i) run.step();  // 16 tokens each: all 8 blocks are full
  EXPECT_EQ(run.scheduler.stats().kv_used, 1);
  EXPECT_EQ(run.scheduler.stats().preemptions, 0);
  run.step();
  EXPECT_THAT(run.tokens(), ElementsAre(1));
  EXPECT_EQ(run.scheduler.stats().preemptions, 1);
  EXPECT_EQ(run.scheduler.stats().waiting, 1);
  for (int i = 0; i < 4; ++i) run.step();
  EXPECT_THAT(run.finished(), ElementsAre(1));
  // 17 tokens to have again; its last two blocks went to request 1.
  EXPECT_EQ(run.step(), 1 + 9 * 0.125 + 9 * 12.5 / 128);
  ASSERT_THAT(run.tokens(), ElementsAre(2));
  EXPECT_EQ(run.events[0].generated, 6);
  EXPECT_EQ(run.finish().back().generated, 10);
}

TEST(SchedulerPreemption, CountsAPreemptedRequestOnce) {
  Stepper run(with_blocks(8));
  run.scheduler.add(request(1, 12, 10));
  run.scheduler.add(request(2, 12, 10));
  for (const Event& event : run.finish()) EXPECT_EQ(event.cached_tokens, 0);
  const ReplicaStats stats = run.scheduler.stats();
  EXPECT_EQ(stats.preemptions, 1);
  EXPECT_EQ(stats.prefix_cache_queries, 24);
  EXPECT_EQ(stats.prefix_cache_hits, 0);
  EXPECT_EQ(stats.prompt_tokens, 24);
  EXPECT_EQ(stats.generation_tokens, 20);
  EXPECT_EQ(stats.finished, 2);
}

TEST(SchedulerPreemption, AdmitsNobodyInAStepThatPreempts) {
  Stepper run(with_blocks(8));
  run.scheduler.add(request(1, 12, 10));
  run.scheduler.add(request(2, 12, 10));
  for (int i = 0; i < 5; ++i) run.step();
  run.scheduler.add(request(3, 4, 1));
  run.step();
  EXPECT_EQ(run.scheduler.stats().running, 1);
  EXPECT_EQ(run.scheduler.stats().waiting, 2);
}

// Requests 1 and 2 are there, 2 in the state of interest.
void expect_empty_after_aborting(Stepper& run) {
  run.scheduler.abort(2);
  run.scheduler.abort(1);
  run.scheduler.abort(2);
  const ReplicaStats stats = run.scheduler.stats();
  EXPECT_EQ(stats.running, 0);
  EXPECT_EQ(stats.waiting, 0);
  EXPECT_EQ(stats.kv_used, 0);
  EXPECT_THAT(run.finish(), IsEmpty());
}

TEST(SchedulerAbort, FreesAllWhenAWaitingRequestIsAborted) {
  Stepper run(with_blocks(8));
  run.scheduler.add(request(1, 20, 3));
  run.step();
  run.scheduler.add(request(2, 20, 3));
  run.step();
  ASSERT_EQ(run.scheduler.stats().waiting, 1);
  expect_empty_after_aborting(run);
}

TEST(SchedulerAbort, FreesAllWhenARequestIsAbortedInTheMiddleOfItsPrompt) {
  Stepper run(with_budget(8));
  run.scheduler.add(request(1, 4, 5));
  run.scheduler.add(request(2, 20, 3));
  run.step();
  ASSERT_EQ(run.scheduler.stats().running, 2);
  expect_empty_after_aborting(run);
}

TEST(SchedulerAbort, FreesAllWhenADecodingRequestIsAborted) {
  Stepper run;
  run.scheduler.add(request(1, 4, 5));
  run.scheduler.add(request(2, 20, 3));
  run.step();
  run.step();
  ASSERT_THAT(run.tokens(), ElementsAre(1, 2));
  expect_empty_after_aborting(run);
}

TEST(SchedulerAbort, FreesAllWhenAPreemptedRequestIsAborted) {
  Stepper run(with_blocks(8));
  run.scheduler.add(request(1, 12, 10));
  run.scheduler.add(request(2, 12, 10));
  for (int i = 0; i < 6; ++i) run.step();
  ASSERT_EQ(run.scheduler.stats().preemptions, 1);
  expect_empty_after_aborting(run);
}

TEST(SchedulerAbort, LeavesTheOthersAloneWhenOneIsAbortedDuringAStep) {
  Stepper run;
  run.scheduler.add(request(1, 4, 1));
  run.scheduler.add(request(2, 4, 1));
  ASSERT_TRUE(run.scheduler.begin_step(run.now));
  run.scheduler.abort(1);
  run.scheduler.end_step(run.now, run.events);
  EXPECT_THAT(run.finished(), ElementsAre(2));
  EXPECT_EQ(run.scheduler.stats().kv_used, 0);
}

TEST(SchedulerAbort, TriesTheNextWhenTheHeadThatDidNotFitIsAborted) {
  Stepper run(with_blocks(8));
  run.scheduler.add(request(1, 12, 5));
  run.step();
  run.scheduler.add(request(2, 24, 1));
  run.scheduler.add(request(3, 4, 1));
  run.step();
  ASSERT_THAT(run.tokens(), ElementsAre(1));
  run.scheduler.abort(2);
  run.step();
  EXPECT_THAT(run.tokens(), ElementsAre(1, 3));
}

}  // namespace
}  // namespace lmw::replica
