#include "lab/cache_study.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace lmw::lab {
namespace {

using namespace std::chrono_literals;

workload::Turn turn(int blocks, Duration at, std::uint64_t first) {
  return {.prompt_tokens = blocks * 10, .recorded_at = at, .content = {{first, blocks + 5}}};
}

// Two sessions of two turns each, one in step with the other.
std::vector<workload::Session> two_sessions() {
  return {{.id = 1, .agents = {{.turns = {turn(4, 0s, 100), turn(6, 10s, 100)}}}},
          {.id = 2, .agents = {{.turns = {turn(4, 1s, 200), turn(6, 11s, 200)}}}}};
}

double study(int caches, double capacity, Split split) {
  return hits_pct({.caches = caches, .capacity_tokens = capacity, .split = split, .block_size = 10},
                  two_sessions());
}

TEST(CacheStudy, FindsWhatTheTurnBeforeHasLeft) {
  const double all = 100.0 * 8 / 20;  // 4 blocks of each second turn, of 20 in all
  EXPECT_DOUBLE_EQ(study(1, 1000, Split::sticky), all);
  EXPECT_DOUBLE_EQ(study(2, 1000, Split::sticky), all);
  EXPECT_DOUBLE_EQ(study(1, std::numeric_limits<double>::infinity(), Split::sticky), all);
}

TEST(CacheStudy, LosesWhatDoesNotFitOrIsElsewhere) {
  EXPECT_DOUBLE_EQ(study(1, 40, Split::sticky), 0);
  EXPECT_DOUBLE_EQ(study(3, 3000, Split::round_robin), 0);
}

}  // namespace
}  // namespace lmw::lab
