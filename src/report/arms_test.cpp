#include "report/arms.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lmw::report {
namespace {

TEST(Quantile, InterpolatesBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5).value(), 2.5);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.95).value(), 7);
  EXPECT_FALSE(quantile({}, 0.5));
}

TEST(Report, WhatWasNotMeasuredIsNotShownAsZero) {
  const std::vector<Arm> arms{{"engine", {{.sessions = 8, .tokens_per_min = 1200.4, .ttfb_p50_s = 0.31}}}};
  const auto table = to_table(arms);
  EXPECT_NE(table.find("n/a"), std::string::npos);
  EXPECT_NE(table.find("0.31 s"), std::string::npos);
  EXPECT_NE(table.find("1200"), std::string::npos);
  const auto json = nlohmann::json::parse(to_json(arms));
  const auto& step = json["arms"][0]["steps"][0];
  EXPECT_EQ(json["arms"][0]["name"], "engine");
  EXPECT_EQ(step["sessions"], 8);
  EXPECT_TRUE(step["hits_pct"].is_null());
  EXPECT_DOUBLE_EQ(step["ttfb_p50_s"], 0.31);
}

}  // namespace
}  // namespace lmw::report
