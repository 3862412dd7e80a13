#include "report/html.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/chart.hpp"
#include "report/compare.hpp"

namespace lmw::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Instant at(double s) { return Instant(from_seconds(s)); }

Report two_arms() {
  Report report{.title = "A <b> & c", .provenance = {{"seed", "1"}}};
  for (const auto* name : {"off", "on"}) {
    Arm arm{.name = name};
    for (const int sessions : {4, 8}) {
      arm.steps.push_back(
          {.sessions = sessions, .tokens_per_min = 100.0 * sessions, .ttfb_p50_s = 0.1, .ttfb_p95_s = 20});
    }
    report.arms.push_back(std::move(arm));
  }
  report.timelines.push_back({.arm = "on",
                              .sessions = 4,
                              .window = {at(0), at(60)},
                              .turns = {{.replica = 2, .sent = at(1), .first = at(5), .done = at(20)}}});
  return report;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Html, HoldsAllFiguresAndLoadsNothing) {
  const auto page = to_html(two_arms());
  EXPECT_EQ(count(page, "<figure"), 6U);
  EXPECT_EQ(count(page, "class=\"line\""), 2 * 5 + 2U);  // a line for each arm and figure, and the legend
  for (const auto* outside : {"http:", "https:", "<script", "<link", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  EXPECT_THAT(page, HasSubstr("A &lt;b&gt; &amp; c"));
  EXPECT_THAT(page, HasSubstr("n/a"));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
  EXPECT_THAT(page, Not(HasSubstr("inf\"")));
}

TEST(Html, ShowsTheSpreadOfRepeats) {
  EXPECT_THAT(to_html(two_arms()), Not(HasSubstr("±")));
  auto report = two_arms();
  report.arms[0].spread = {{.sessions = 4, .tokens_per_min = 12.4}};
  EXPECT_THAT(to_html(report), HasSubstr("<td>400 <small>±12</small></td>"));
  EXPECT_THAT(to_html(report), HasSubstr("±: the standard deviation"));
}

TEST(Html, StandsWithoutAnyResult) { EXPECT_THAT(to_html({.title = "empty"}), HasSubstr("</html>")); }

TEST(LineChart, HasRoundTicksAroundItsValues) {
  const auto chart =
      line_chart({.x_labels = {"4"}, .logarithmic = true, .series = {{"a", {0.34}}, {"b", {28.0}}}});
  for (const auto* tick : {">0.2<", ">0.5<", ">1<", ">20<", ">50<"}) EXPECT_THAT(chart, HasSubstr(tick));
  EXPECT_THAT(chart, Not(HasSubstr(">0.1<")));
  EXPECT_THAT(chart, Not(HasSubstr(">100<")));
  const auto linear = line_chart({.x_labels = {"4"}, .series = {{"a", {86.0}}}});
  for (const auto* tick : {">0<", ">20<", ">100<"}) EXPECT_THAT(linear, HasSubstr(tick));
}

TEST(LineChart, LeavesAGapWhereNothingWasMeasured) {
  const auto chart = line_chart({.x_labels = {"4", "8", "16"}, .series = {{"a", {1, std::nullopt, 3}}}});
  EXPECT_EQ(count(chart, "L"), count(line_chart({.x_labels = {"4", "8", "16"}}), "L"));
}

TEST(TimelineChart, DrawsTheWaitAndTheAnswerOfATurn) {
  const auto chart = timeline_chart(two_arms().timelines.front());
  EXPECT_EQ(count(chart, "<rect class=\"wait\""), 1U);
  EXPECT_EQ(count(chart, "<rect class=\"r2\""), 1U);
}

TEST(Compare, ShowsWhatChanged) {
  auto before = two_arms(), after = two_arms();
  after.arms[1].steps[1].tokens_per_min = 1000;
  const auto text = compare(before, after);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("+25.0 %"));
  after.arms = {{.name = "other", .steps = {{.sessions = 4}}}};
  EXPECT_FALSE(compare(before, after));
}

TEST(Compare, SaysWhichChangesAreWithinTheSpread) {
  auto before = two_arms(), after = two_arms();
  after.arms[1].steps[1].tokens_per_min = 850;
  EXPECT_THAT(compare(before, after).value(), Not(HasSubstr("within")));
  for (auto* report : {&before, &after})
    report->arms[1].spread = {{.sessions = 4}, {.sessions = 8, .tokens_per_min = 40}};
  EXPECT_THAT(compare(before, after).value(), HasSubstr("+6.2 %  within the spread\n"));
  after.arms[1].spread[1].tokens_per_min = 20;
  EXPECT_THAT(compare(before, after).value(), HasSubstr("+6.2 %\n"));
}

}  // namespace
}  // namespace lmw::report
