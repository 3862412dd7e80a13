#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replica/scheduler.hpp"
#include "replica/testing.hpp"

namespace lmw::replica {
namespace {

using testing::conversation;
using ::testing::ElementsAre;
using testing::kBlock;
using testing::request;
using testing::Stepper;

// A cache of 8 blocks and a host tier; a block takes a second to load.
Profile with_host(int blocks) {
  auto profile = testing::with_blocks(8);
  profile.host_kv_tokens = blocks * kBlock;
  profile.host_load = 0.25;
  return profile;
}

// Runs conversation 1, then others until nothing of it is left in the cache.
void run_and_evict(Stepper& run) {
  run.run_alone(request(1, 16, 1));
  run.run_alone(request(2, 31, 1));
}

TEST(SchedulerHostTier, LoadsWhatTheCacheHasLostAndComputesTheRest) {
  Stepper run(with_host(64));
  run_and_evict(run);
  run.scheduler.add(request(3, conversation(1, 20), 1));
  EXPECT_EQ(run.step(), 4);
  EXPECT_THAT(run.events, ElementsAre());
  EXPECT_EQ(run.step(), 1 + 4 * 0.125 + 4 * 18 / 128.0);
  ASSERT_THAT(run.finished(), ElementsAre(3));
  EXPECT_EQ(run.events[0].cached_tokens, 16);
}

TEST(SchedulerHostTier, CountsItsHitsBesideThoseOfTheCache) {
  Stepper run(with_host(64));
  run_and_evict(run);
  run.run_alone(request(3, conversation(1, 20), 1));
  const auto stats = run.scheduler.stats();
  EXPECT_EQ(stats.prefix_cache_hits, 0);
  EXPECT_EQ(stats.prefix_cache_queries, 16 + 31 + 20);
  EXPECT_EQ(stats.external_prefix_cache_hits, 16);
  EXPECT_EQ(stats.external_prefix_cache_queries, 16 + 31 + 20);
  EXPECT_EQ(run.run_alone(request(4, conversation(1, 20), 1)), 16);
  EXPECT_EQ(run.scheduler.stats().prefix_cache_hits, 16);
}

TEST(SchedulerHostTier, ForgetsTheLongestUnused) {
  Stepper run(with_host(8));
  run_and_evict(run);  // the second one alone fills seven blocks of it
  EXPECT_EQ(run.run_alone(request(3, conversation(1, 20), 1)), 4);
}

TEST(SchedulerHostTier, OthersComputeWhileOneLoads) {
  Stepper run(with_host(64));
  run_and_evict(run);
  run.scheduler.add(request(3, conversation(1, 20), 1));
  run.scheduler.add(request(4, 4, 1));
  EXPECT_LT(run.step(), 4);
  EXPECT_THAT(run.finished(), ElementsAre(4));
  EXPECT_EQ(run.scheduler.stats().waiting, 1);
  run.step();
  run.step();
  EXPECT_THAT(run.finished(), ElementsAre(3));
}

TEST(SchedulerHostTier, OneLoadsAfterTheOther) {
  auto profile = with_host(64);
  profile.kv_tokens = 12 * kBlock;
  Stepper run(profile);
  run.run_alone(request(1, 16, 1));
  run.run_alone(request(2, 16, 1));
  run.run_alone(request(3, 47, 1));
  run.scheduler.add(request(4, conversation(1, 20), 1));
  run.scheduler.add(request(5, conversation(2, 20), 1));
  EXPECT_EQ(run.step(), 4);
  const double computes = run.step();
  EXPECT_THAT(run.finished(), ElementsAre(4));
  EXPECT_EQ(run.step(), 4 - computes);
  run.step();
  EXPECT_THAT(run.finished(), ElementsAre(5));
}

TEST(SchedulerHostTier, KeepsRoomForTheRestOfWhatItLoads) {
  Stepper run(with_host(64));
  run_and_evict(run);
  run.scheduler.add(request(3, conversation(1, 28), 1));  // needs 7 of the 8 blocks, and loads 4
  run.scheduler.add(request(4, 8, 1));                    // 2
  EXPECT_EQ(run.step(), 4);
  run.step();
  EXPECT_THAT(run.finished(), ElementsAre(3));
}

TEST(SchedulerHostTier, AnAbortedLoadFreesItsBlocks) {
  Stepper run(with_host(64));
  run_and_evict(run);
  run.scheduler.add(request(3, conversation(1, 20), 1));
  run.step();
  run.scheduler.abort(3);
  EXPECT_EQ(run.step(), 0);
  EXPECT_EQ(run.scheduler.stats().kv_used, 0);
  EXPECT_EQ(run.scheduler.stats().waiting, 0);
}

TEST(EngineHostTier, AnArrivalDoesNotWaitForALoad) {
  Engine engine({.profile = with_host(64)});
  Instant now{};
  const auto finish = [&](Request given) {
    const auto id = given.id;
    engine.submit(std::move(given), 0, now);
    for (bool done = false; !done;) {
      now = engine.next_due().value();
      for (const auto& event : engine.advance(now))
        done |= event.id == id && event.kind == Event::Kind::finished;
    }
  };
  finish(request(1, 16, 1));
  finish(request(2, 31, 1));
  engine.submit(request(3, conversation(1, 20), 1), 0, now);
  EXPECT_EQ(*engine.next_due() - now, std::chrono::seconds(4));
  const auto begin = now += std::chrono::milliseconds(500);
  finish(request(4, 4, 1));
  EXPECT_LT(now - begin, std::chrono::seconds(3));
}

}  // namespace
}  // namespace lmw::replica
