#include "simulator/rank.hpp"

#include <gtest/gtest.h>

namespace lmw::simulator {
namespace {

TEST(ParseRank, ReadsWhatPythonReadsAsAnInteger) {
  for (const auto* one : {"1", "01", "+1", " 1 ", "\t1", "0_1"}) EXPECT_EQ(parse_rank(one), 1) << one;
  EXPECT_EQ(parse_rank("-1"), -1);
  EXPECT_EQ(parse_rank("12"), 12);
}

TEST(ParseRank, IgnoresAllElse) {
  for (const auto* bad : {"", " ", "abc", "1.0", "1,0", "1e0", "+", "-", "1_", "_1", "1__0", "1 0", "0x1"})
    EXPECT_EQ(parse_rank(bad), std::nullopt) << bad;
}

TEST(ParseRank, CutsWhatIsTooLargeInsteadOfOverflowing) {
  EXPECT_GT(parse_rank("99999999999999999999999999").value_or(0), 1'000'000'000);
  EXPECT_LT(parse_rank("-99999999999999999999999999").value_or(0), -1'000'000'000);
}

TEST(HeedsRank, OnResponsesFromVersion033AndElsewhereAlways) {
  for (const auto* old : {"0.32.0", "0.9.1", "0.32.1.dev5+g123"}) {
    EXPECT_FALSE(heeds_rank(old, wire::Endpoint::responses)) << old;
    EXPECT_TRUE(heeds_rank(old, wire::Endpoint::completions)) << old;
  }
  for (const auto* recent : {"0.33.0", "0.40", "1.0"}) {
    EXPECT_TRUE(heeds_rank(recent, wire::Endpoint::responses)) << recent;
  }
}

}  // namespace
}  // namespace lmw::simulator
