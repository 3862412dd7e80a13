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

}  // namespace
}  // namespace lmw::simulator
