#include "report/engine_sums.hpp"

#include <gtest/gtest.h>

namespace lmw::report {
namespace {

std::optional<EngineCounters> counted(std::int64_t queries, std::int64_t hits, std::int64_t restarts = 0) {
  return EngineCounters{queries, hits, restarts};
}

Step between(const EngineSums& before, const EngineSums& after) {
  Step step;
  add_engine(step, before, after);
  return step;
}

TEST(EngineSums, AreOfAllEnginesTogether) {
  const auto step =
      between({.engines = {counted(100, 50), counted(1000, 0)}, .polls = 10, .missed = 3, .busy = 20},
              {.engines = {counted(200, 150), counted(1300, 0)}, .polls = 14, .missed = 4, .busy = 26});
  EXPECT_EQ(step.hits_pct, 25);
  EXPECT_EQ(step.replicas_busy, 1.5);
}

TEST(EngineSums, OfEnginesThatAreNotAllReadSayNothingOfHits) {
  EXPECT_FALSE(
      between({.engines = {counted(100, 50), std::nullopt}}, {.engines = {counted(200, 150), counted(9, 9)}})
          .hits_pct);
  EXPECT_FALSE(
      between({.engines = {counted(100, 50), counted(9, 9)}}, {.engines = {counted(200, 150), std::nullopt}})
          .hits_pct);
  EXPECT_FALSE(between({.engines = {counted(100, 50)}}, {.engines = {counted(100, 50)}}).hits_pct);
}

TEST(EngineSums, OfAnEngineThatHasRestartedSayNothingOfHits) {
  EXPECT_FALSE(between({.engines = {counted(100, 50), counted(9, 9)}},
                       {.engines = {counted(200, 150), counted(90, 90, 1)}})
                   .hits_pct);
}

TEST(EngineSums, OfPollsThatMostlyMissedAnEngineSayNothingOfBusyReplicas) {
  EXPECT_FALSE(between({}, {.polls = 0, .missed = 5}).replicas_busy);
  EXPECT_FALSE(between({}, {.polls = 4, .missed = 4, .busy = 4}).replicas_busy);
  EXPECT_EQ(between({}, {.polls = 5, .missed = 4, .busy = 5}).replicas_busy, 1);
}

}  // namespace
}  // namespace lmw::report
