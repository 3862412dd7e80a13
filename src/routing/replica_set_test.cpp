#include "routing/replica_set.hpp"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace lmw::routing {
namespace {

std::optional<int> learnt_from(const std::vector<Reading>& readings) {
  ReplicaSet replicas;
  replicas.set_ranks(replicas.endpoint("http://a"), {"0"});
  for (const auto& reading : readings) replicas.record(ReplicaId(0), reading);
  return replicas[ReplicaId(0)].learnt_max_num_seqs;
}

TEST(ReplicaSetTest, LearnsMaxNumSeqsWhereRunningStandsStillWhileOthersWait) {
  const Reading full{.running = 32, .waiting = 3, .kv_used = 0.5};
  EXPECT_EQ(learnt_from({full, full, full}), 32);
  EXPECT_FALSE(learnt_from({full, full}));
  EXPECT_FALSE(learnt_from({full, {.running = 31, .waiting = 1, .kv_used = 0.5}, full, full}));
}

TEST(ReplicaSetTest, LearnsNothingFromTurnsThatWaitForAnythingElse) {
  const Reading idle{.running = 12, .waiting = 0, .kv_used = 0.5};
  const Reading short_of_blocks{.running = 12, .waiting = 4, .kv_used = 0.95};
  const Reading long_prefill{.running = 2, .waiting = 4, .kv_used = 0.4};
  for (const auto& reading : {idle, short_of_blocks, long_prefill}) {
    EXPECT_FALSE(learnt_from({reading, reading, reading, reading}));
  }
}

}  // namespace
}  // namespace lmw::routing
