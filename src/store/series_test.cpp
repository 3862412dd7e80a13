#include "store/series.hpp"

#include <gtest/gtest.h>

namespace lmw::store {
namespace {

Sample at(std::int64_t time, std::int64_t tokens = 100) {
  Sample sample{.at = time, .seconds = 10, .cached = tokens, .in_flight_most = static_cast<int>(time % 7)};
  sample.held_seconds = 2;
  sample.held_most = static_cast<int>(time / 10 % 5);
  sample.ttfb[3] = 1;
  return sample;
}

TEST(Series, RollsTenSecondsUpToMinutesAndHours) {
  Series series;
  for (std::int64_t time = 7200; time < 7200 + 3600; time += 10) series.add(at(time));
  const auto minutes = series.since(1, 0);
  const auto hours = series.since(2, 0);
  ASSERT_EQ(minutes.size(), 60u);
  EXPECT_EQ(minutes[1].at, 7260);
  EXPECT_EQ(minutes[1].cached, 600);
  EXPECT_EQ(minutes[1].seconds, 60);
  ASSERT_EQ(hours.size(), 1u);
  EXPECT_EQ(hours[0].cached, 36'000);
  EXPECT_EQ(hours[0].ttfb[3], 360);
  EXPECT_EQ(hours[0].in_flight_most, 6);
  EXPECT_EQ(minutes[1].held_seconds, 12);
  EXPECT_EQ(hours[0].held_most, 4);
}

TEST(Series, TellsTheRowsThatASampleHasChanged) {
  Series series;
  series.add(at(0));
  const auto changed = series.add(at(10));
  ASSERT_EQ(changed.size(), 3u);
  EXPECT_EQ(changed[0].sample.at, 10);
  EXPECT_EQ(changed[0].sample.cached, 100);
  EXPECT_EQ(changed[1].sample.at, 0);
  EXPECT_EQ(changed[1].sample.cached, 200);
  EXPECT_EQ(changed[2].resolution, 2u);
}

TEST(Series, IsBoundedAtEachResolution) {
  Series series;
  for (std::int64_t time = 0; time < 5 * 86'400; time += 10) series.add(at(time));
  for (std::size_t i = 0; i < resolutions.size(); ++i) {
    EXPECT_LE(series.since(i, 0).size(),
              static_cast<std::size_t>(resolutions[i].keep / resolutions[i].step + 1));
  }
}

TEST(Series, AddsToTheLastRowWhenTheClockWentBack) {
  Series series;
  series.add(at(1000));
  series.add(at(500));
  ASSERT_EQ(series.since(0, 0).size(), 1u);
  EXPECT_EQ(series.since(0, 0)[0].cached, 200);
}

TEST(Series, GoesOnInTheRowThatItWasRestoredWith) {
  Series before, after;
  for (const auto& row : before.add(at(60))) after.restore(row);
  const auto changed = after.add(at(70));
  EXPECT_EQ(changed[1].sample.cached, 200);
  EXPECT_EQ(after.since(0, 0).size(), 2u);
  EXPECT_EQ(after.since(0, 70).size(), 1u);
}

}  // namespace
}  // namespace lmw::store
