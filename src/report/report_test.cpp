#include "report/report.hpp"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/columns.hpp"
#include "report/json.hpp"
#include "report/tables.hpp"

namespace lmw::report {
namespace {

Report small() {
  return {.title = "Off and on",
          .provenance = {{"seed", "7"}},
          .arms = {{"engine", "its own", {{.sessions = 8, .tokens_per_min = 1200.4, .ttfb_p50_s = 0.31}}, {}},
                   {"affinity", "ours", {{.sessions = 8, .tokens_per_min = 1500, .held = 0}}, {}}}};
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

TEST(Report, WhatWasNotMeasuredIsNotShownAsZero) {
  const auto json = nlohmann::json::parse(to_json(small()));
  const auto& step = json["arms"][0]["steps"][0];
  EXPECT_EQ(json["arms"][0]["name"], "engine");
  EXPECT_EQ(json["provenance"]["seed"], "7");
  EXPECT_EQ(step["sessions"], 8);
  EXPECT_TRUE(step["hits_pct"].is_null());
  EXPECT_DOUBLE_EQ(step["ttfb_p50_s"], 0.31);
  EXPECT_EQ(json["arms"][1]["steps"][0]["held"], 0);
  EXPECT_NE(to_table(small()).find("n/a"), std::string::npos);
}

TEST(Report, EveryColumnIsAFieldOfJsonAndCsv) {
  const auto json = nlohmann::json::parse(to_json(small()));
  const auto csv = to_csv(small());
  const auto head = csv.substr(0, csv.find('\n'));
  for (const auto& column : columns()) {
    EXPECT_TRUE(json["arms"][0]["steps"][0].contains(std::string(column.field)));
    EXPECT_NE(head.find(column.field), std::string::npos);
  }
}

TEST(Report, ATableLeavesOutColumnsOfZeros) {
  auto report = small();
  report.arms[0].steps[0].held = 0;
  const auto table = to_table(report);
  EXPECT_NE(table.find("tok/min"), std::string::npos);
  EXPECT_EQ(table.find("held"), std::string::npos);
  EXPECT_NE(table.find("busy"), std::string::npos);
}

TEST(Report, CsvAndMarkdownHaveARowForEachStep) {
  EXPECT_EQ(to_csv(small()).substr(to_csv(small()).find('\n') + 1, 17), "engine,8,,,1200.4");
  EXPECT_NE(to_markdown(small()).find("| 8 | affinity | n/a | n/a | 1500 |"), std::string::npos);
}

// Three runs of one arm beside one run of another.
Report repeated() {
  auto report = small();
  report.arms[1].steps[0].ttfb_p99_s = 7;
  report.arms[1].spread = {{.sessions = 8, .tokens_per_min = 31.6, .held = 0.5}};
  return report;
}

TEST(Report, ShowsTheSpreadOfRepeats) {
  const auto table = to_table(repeated());
  EXPECT_NE(table.find("  1500±32  "), std::string::npos) << table;
  EXPECT_NE(table.find("±: the standard deviation"), std::string::npos);
  EXPECT_EQ(table.find("p99"), std::string::npos) << "it makes room";
  const auto head = table.find('\n');
  const auto affinity = table.rfind("\n", table.find("1500±32"));
  EXPECT_EQ(table.find('\n', affinity + 1) - affinity - 1, head + 1) << "± is one character of two bytes";
  EXPECT_NE(to_markdown(repeated()).find("| 1500 ±32 |"), std::string::npos);
  EXPECT_NE(to_markdown(repeated()).find("| 0 ±0 |"), std::string::npos) << to_markdown(repeated());
  EXPECT_EQ(to_markdown(repeated()).find("1200 ±"), std::string::npos);
}

TEST(Report, CsvHasTheSpreadAfterAllOtherColumns) {
  const auto csv = to_csv(repeated());
  const auto rows = lines(csv);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_NE(rows[0].find(",fairness,turns_sd,"), std::string::npos);
  EXPECT_TRUE(rows[0].ends_with(",fairness_sd"));
  for (const auto& row : rows) EXPECT_EQ(std::ranges::count(row, ','), 1 + 2 * 19);
  EXPECT_NE(rows[2].find(",31.6,"), std::string::npos);
}

TEST(Report, WithoutRepeatsThereIsNoSpread) {
  for (const auto& text : {to_table(small()), to_markdown(small()), to_csv(small())}) {
    EXPECT_EQ(text.find("±"), std::string::npos);
    EXPECT_EQ(text.find("_sd"), std::string::npos);
  }
}

TEST(Report, ComesBackFromItsJson) {
  const auto again = from_json(to_json(small()));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(to_json(*again), to_json(small()));
  EXPECT_FALSE(from_json("{\"arms\":3}"));
  EXPECT_FALSE(from_json("no json"));
}

TEST(Report, RepeatsBecomeMeansAndTheirSpread) {
  const auto arm = combine("a", "",
                           {{{.sessions = 4, .turns = 10, .ttfb_p50_s = 1}},
                            {{.sessions = 4, .turns = 20, .ttfb_p50_s = std::nullopt}}});
  EXPECT_EQ(arm.steps[0].turns, 15);
  EXPECT_EQ(arm.steps[0].ttfb_p50_s, 1);
  EXPECT_NEAR(arm.spread[0].turns.value(), 7.07, 0.01);
  EXPECT_FALSE(arm.steps[0].hits_pct);
  EXPECT_TRUE(combine("a", "", {{{.sessions = 4}}}).spread.empty());
}

}  // namespace
}  // namespace lmw::report
