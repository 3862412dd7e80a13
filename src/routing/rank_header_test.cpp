#include "routing/rank_header.hpp"

#include <gtest/gtest.h>

namespace lmw::routing {
namespace {

TEST(RankHeader, IsReadAsTheEngineReadsIt) {
  EXPECT_EQ(parse_rank("0"), 0);
  EXPECT_EQ(parse_rank("00"), 0);
  EXPECT_EQ(parse_rank("+1"), 1);
  EXPECT_EQ(parse_rank(" 1 "), 1);
  EXPECT_EQ(parse_rank("-1"), -1);
  for (const auto* text : {"", " ", "1.0", "1e0", "abc", "0, 1", "+-1", "99999999999999999999"}) {
    EXPECT_FALSE(parse_rank(text)) << text;
  }
}

}  // namespace
}  // namespace lmw::routing
