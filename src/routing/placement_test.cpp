#include "routing/placement.hpp"

#include <gtest/gtest.h>

namespace lmw::routing {
namespace {

TEST(SpillThreshold, IsAQuarterOfMaxNumSeqsUnlessSetAndAtLeastOne) {
  Replica replica;
  EXPECT_EQ(spill_threshold(replica, {}), 64);
  replica.learnt_max_num_seqs = 8;
  EXPECT_EQ(spill_threshold(replica, {}), 2);
  replica.max_num_seqs = 32;
  EXPECT_EQ(spill_threshold(replica, {}), 8);
  replica.max_num_seqs = 2;
  EXPECT_EQ(spill_threshold(replica, {}), 1);
  EXPECT_EQ(spill_threshold(replica, 5), 5);
}

}  // namespace
}  // namespace lmw::routing
