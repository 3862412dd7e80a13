#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "admin/history_json.hpp"

namespace lmw::admin {
namespace {

store::Sample at(std::int64_t time, std::int64_t cached, std::int64_t computed) {
  store::Sample sample{.at = time, .seconds = 10, .cached = cached, .computed = computed, .turns = 1};
  sample.in_flight_seconds = 25;
  sample.held_seconds = 5;
  sample.held_most = 3;
  sample.ttfb[5] = 1;  // 0.25 to 0.5 s
  return sample;
}

TEST(HistoryJson, HasRatesByTimeAndSumsOfTheSpan) {
  store::History history("");
  history.add("a", at(1000, 700, 300));
  history.add("a", at(1010, 0, 1000));
  const auto value = history_json(history, "a", *find_span("15m"), 1020);
  EXPECT_EQ(value["points"]["cached_per_s"], nlohmann::json({70.0, 0.0}));
  EXPECT_EQ(value["points"]["computed_per_s"], nlohmann::json({30.0, 100.0}));
  EXPECT_EQ(value["points"]["in_flight"], nlohmann::json({2.5, 2.5}));
  EXPECT_EQ(value["points"]["held"], nlohmann::json({0.5, 0.5}));
  EXPECT_EQ(value["points"]["held_most"], nlohmann::json({3, 3}));
  EXPECT_EQ(value["total"]["cached_share"], 0.35);
  EXPECT_EQ(value["step_s"], 10);
  EXPECT_EQ(value["not_kept"], "no data directory is set");
}

TEST(HistoryJson, ShowsTimeThatNobodySawAsAGap) {
  store::History history("");
  history.add("a", at(1000, 1, 1));
  history.add("a", at(1200, 1, 1));
  const auto value = history_json(history, "", *find_span("1h"), 1300);
  EXPECT_EQ(value["points"]["at"], nlohmann::json({1000, 1010, 1200}));
  EXPECT_TRUE(value["points"]["cached_per_s"][1].is_null());
}

TEST(HistoryJson, EstimatesQuantilesInsideTheirBucket) {
  std::array<std::int64_t, store::ttfb_buckets> buckets{};
  EXPECT_EQ(ttfb_quantile(buckets, 0.5), std::nullopt);
  buckets[7] = 10;  // 1 to 2 s
  EXPECT_EQ(ttfb_quantile(buckets, 0.5), 1.5);
  buckets[16] = 90;
  EXPECT_EQ(ttfb_quantile(buckets, 0.95), 320);
}

TEST(HistoryJson, KnowsItsSpans) {
  EXPECT_EQ(find_span("7d")->resolution, 2u);
  EXPECT_FALSE(find_span("8d"));
}

}  // namespace
}  // namespace lmw::admin
