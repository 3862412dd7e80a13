#include "config/quantity.hpp"

#include <gtest/gtest.h>

namespace lmw::config {
namespace {

using namespace std::chrono_literals;

TEST(Duration, IsAWholeNumberAndItsUnit) {
  EXPECT_EQ(parse_duration("500ms").value(), 500ms);
  EXPECT_EQ(parse_duration("4s").value(), 4s);
  EXPECT_EQ(parse_duration("30m").value(), 30min);
  EXPECT_EQ(parse_duration("24h").value(), 24h);
  EXPECT_EQ(parse_duration("0s").value(), 0s);
}

TEST(Duration, WithoutAUnitIsRefused) {
  for (const auto* text : {"4", "", "s", "4 s", " 4s", "4sec", "1.5s", "-4s", "+4s", "4S", "4d", "1h30m"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Duration, TooLargeToHoldIsRefused) {
  EXPECT_FALSE(parse_duration("99999999999999999999ms"));
  EXPECT_FALSE(parse_duration("9223372036854775807h"));
}

TEST(Duration, IsWrittenInTheLargestWholeUnit) {
  EXPECT_EQ(format_duration(1500ms), "1500ms");
  EXPECT_EQ(format_duration(75s), "75s");
  EXPECT_EQ(format_duration(30min), "30m");
  EXPECT_EQ(format_duration(24h), "24h");
  EXPECT_EQ(format_duration(0ms), "0ms");
}

TEST(Size, IsBytesUnlessItNamesAUnit) {
  EXPECT_EQ(parse_size("65536").value(), 65536u);
  EXPECT_EQ(parse_size("7B").value(), 7u);
  EXPECT_EQ(parse_size("64KiB").value(), 64u << 10);
  EXPECT_EQ(parse_size("64MiB").value(), 64u << 20);
  EXPECT_EQ(parse_size("3GiB").value(), 3ull << 30);
}

TEST(Size, OfAnotherUnitIsRefused) {
  for (const auto* text :
       {"", "MiB", "64MB", "64M", "64 MiB", "64mib", "-1", "1.5MiB", "9223372036854775807GiB"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(Size, IsWrittenInTheLargestWholeUnit) {
  EXPECT_EQ(format_size(64u << 20), "64MiB");
  EXPECT_EQ(format_size(1000), "1000B");
  EXPECT_EQ(format_size(0), "0B");
}

}  // namespace
}  // namespace lmw::config
