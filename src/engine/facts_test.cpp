#include "engine/facts.hpp"

#include <gtest/gtest.h>

namespace lmw::engine {
namespace {

TEST(VersionAtLeast, ComparesNumbersNotText) {
  EXPECT_EQ(version_at_least("0.32.0", 0, 27), true);
  EXPECT_EQ(version_at_least("0.9.2", 0, 27), false);
  EXPECT_EQ(version_at_least("0.33.0", 0, 33), true);
  EXPECT_EQ(version_at_least("1.0", 0, 33), true);
}

TEST(VersionAtLeast, TakesPreReleasesAndBuildsForTheirVersion) {
  EXPECT_EQ(version_at_least("0.33.0rc1", 0, 33), true);
  EXPECT_EQ(version_at_least("0.26.1.dev12+g1234", 0, 27), false);
  EXPECT_EQ(version_at_least("0.32.0+cpu", 0, 32), true);
}

TEST(VersionAtLeast, SaysNothingWhenThereIsNoVersion) {
  for (const auto* text : {"", "dev", "v0.3", "0", "0.", "3", ".5", "99999999999.1"}) {
    EXPECT_EQ(version_at_least(text, 0, 14), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace lmw::engine
