#include "wire/prometheus_text.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "base/recorded.hpp"

namespace lmw::wire {
namespace {

Sample only(std::string_view text, std::string_view name) {
  auto samples = read_prometheus_text(text, {name});
  EXPECT_TRUE(samples.has_value()) << samples.error().message;
  EXPECT_EQ(samples->size(), 1u);
  return samples->at(0);
}

std::string error_of(std::string_view text, std::string_view name) {
  auto samples = read_prometheus_text(text, {name});
  return samples ? "" : samples.error().message;
}

TEST(PrometheusText, ReadsWhatAnEngineReports) {
  const std::string page = recorded("metrics-picked.txt");
  const auto samples =
      read_prometheus_text(page, {"vllm:num_requests_running", "vllm:prefix_cache_hits_total",
                                  "process_start_time_seconds", "vllm:cache_config_info"});
  ASSERT_TRUE(samples) << samples.error().message;
  ASSERT_EQ(samples->size(), 7u);
  EXPECT_EQ((*samples)[0].name, "process_start_time_seconds");
  EXPECT_DOUBLE_EQ((*samples)[0].value, 1.79597615126e+09);
  EXPECT_EQ((*samples)[2].name, "vllm:num_requests_running");
  EXPECT_EQ((*samples)[2].label("engine"), "1");
  EXPECT_EQ((*samples)[4].name, "vllm:prefix_cache_hits_total");
  EXPECT_EQ((*samples)[4].value, 1760);
  EXPECT_EQ((*samples)[5].label("block_size"), "32");
  EXPECT_EQ((*samples)[5].label("no such label"), "");
}

TEST(PrometheusText, ANameMustMatchWhole) {
  EXPECT_TRUE(read_prometheus_text("ab 1\na_total{x=\"y\"} 2\n", {"a"})->empty());
}

TEST(PrometheusText, UnescapesLabelValuesAndIsNotFooledByWhatIsInThem) {
  const Sample sample = only("m{path=\"a\\\\b\",say=\"\\\"hi\\\"\\n\",odd=\"} 7, {x=\\q\",} 3\n", "m");
  EXPECT_EQ(sample.label("path"), "a\\b");
  EXPECT_EQ(sample.label("say"), "\"hi\"\n");
  EXPECT_EQ(sample.label("odd"), "} 7, {x=\\q");
  EXPECT_EQ(sample.value, 3);
}

TEST(PrometheusText, ReadsSpecialNumbersAndTimestamps) {
  EXPECT_TRUE(std::isnan(only("m NaN\n", "m").value));
  EXPECT_EQ(only("m +Inf\n", "m").value, HUGE_VAL);
  EXPECT_EQ(only("m{} -Inf 1395066363000\n", "m").value, -HUGE_VAL);
  EXPECT_EQ(only("m -1.5e-3 -5\n", "m").value, -1.5e-3);
}

TEST(PrometheusText, ToleratesSpacesBlankLinesAndCrLf) {
  const Sample sample = only("\r\n\r\n# HELP m {\r\n  m { a = \"1\" , \"b\" = \"2\" }\t 4 \r\n", "m");
  EXPECT_EQ(sample.label("a"), "1");
  EXPECT_EQ(sample.label("b"), "2");
  EXPECT_EQ(sample.value, 4);
}

TEST(PrometheusText, AMalformedWantedLineIsAnErrorThatNamesTheLine) {
  for (auto line : {"m", "m ", "m x", "m{a=\"1\" 2", "m{a=\"1\"b=\"2\"} 3", "m{a=1} 2", "m{a} 2",
                    "m{=\"1\"} 2", "m{a=\"1\\", "m{a=\"1\"}", "m 1 x", "m 1 2 3", "m 1e999"}) {
    EXPECT_EQ(error_of(std::string("ok 1\n") + line + "\n", "m"), "line 2: malformed sample of m") << line;
  }
}

TEST(PrometheusText, APageCutInsideAWantedLineIsAnError) {
  EXPECT_EQ(error_of("m 12", "m"), "line 1: cut short (m)");  // may have been 123
  EXPECT_EQ(error_of("m 12\nother 1", "m"), "");
}

TEST(PrometheusText, WhatIsNotWantedMayBeAnything) {
  EXPECT_EQ(only("{\"quoted.name\"} 1\nbad{ 1\n\xff\xfe\nm 5\n# EOF\n", "m").value, 5);
  EXPECT_TRUE(read_prometheus_text("", {"m"})->empty());
}

TEST(PrometheusText, SurvivesACutAtEachByte) {
  const std::string page = recorded("metrics-picked.txt");
  for (std::size_t size = 0; size < page.size(); ++size) {
    // A copy of its own, so that the address sanitizer sees a read past the end.
    const std::vector<char> cut(page.begin(), page.begin() + static_cast<std::ptrdiff_t>(size));
    const auto samples = read_prometheus_text({cut.data(), cut.size()}, {"vllm:cache_config_info"});
    if (samples) EXPECT_LE(samples->size(), 2u);
  }
}

}  // namespace
}  // namespace lmw::wire
