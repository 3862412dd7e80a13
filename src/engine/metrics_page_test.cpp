#include "engine/metrics_page.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/recorded.hpp"

namespace lmw::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A complete rank, with one value of choice.
std::string rank(std::string_view label, std::string_view kv_used = "0.5", std::string_view running = "3") {
  const auto line = [&](std::string_view name, std::string_view value) {
    return fmt::format("vllm:{}{{engine=\"{}\",model_name=\"m\"}} {}\n", name, label, value);
  };
  return line("num_requests_running", running) + line("num_requests_waiting", "1") +
         line("kv_cache_usage_perc", kv_used) + line("prefix_cache_queries_total", "1e3") +
         line("prefix_cache_hits_total", "250");
}

std::vector<std::string> complete_labels(const std::string& text) {
  std::vector<std::string> labels;
  for (const auto& each : read_metrics_page(text).value().ranks) labels.push_back(each.label);
  return labels;
}

TEST(MetricsPage, ReadsBothRanksOfARecordedPage) {
  const auto page = read_metrics_page(recorded("metrics-two-api-servers.txt")).value();
  EXPECT_THAT(page.labels, ElementsAre("0", "1"));
  ASSERT_EQ(page.ranks.size(), 2U);
  EXPECT_EQ(page.ranks[1].label, "1");
  EXPECT_EQ(page.ranks[1].prefix_queries, 26155);
  EXPECT_EQ(page.ranks[1].prefix_hits, 9216);
  EXPECT_EQ(page.ranks[0].kv_capacity_tokens, 2097152);
  EXPECT_EQ(page.ranks[0].block_size, 128);
  EXPECT_EQ(page.ranks[0].prefix_caching, true);
  EXPECT_FALSE(page.process_start_time);
}

TEST(MetricsPage, TakesTheCapacityOfARankAndNotItsNumberOfBlocks) {
  const auto page = read_metrics_page(recorded("metrics-one-api-server.txt")).value();
  ASSERT_EQ(page.ranks.size(), 2U);
  EXPECT_EQ(page.ranks[0].kv_capacity_tokens, 5120);  // num_gpu_blocks × block_size would be 10,240
  EXPECT_EQ(page.process_start_time, 1.79597615126e+09);
}

TEST(MetricsPage, OrdersRanksByNumber) {
  EXPECT_THAT(complete_labels(rank("10") + rank("2") + rank("0") + rank("x")),
              ElementsAre("0", "2", "10", "x"));
}

TEST(MetricsPage, WithoutTheEnginesNamesHasNoRanks) {
  for (const auto* text : {"", "up 1\n", "sglang:num_running_reqs{engine=\"0\"} 3\n", "<html></html>\n"}) {
    const auto page = read_metrics_page(text).value();
    EXPECT_THAT(page.labels, IsEmpty()) << text;
    EXPECT_THAT(page.ranks, IsEmpty()) << text;
  }
}

TEST(MetricsPage, LeavesOutARankWithAValueThatCannotBe) {
  for (const auto* bad : {"NaN", "-0.1", "1.01", "+Inf", "-Inf"}) {
    const auto page = read_metrics_page(rank("0", bad) + rank("1")).value();
    EXPECT_THAT(page.labels, ElementsAre("0", "1")) << bad;
    ASSERT_EQ(page.ranks.size(), 1U) << bad;
    EXPECT_EQ(page.ranks[0].label, "1") << bad;
  }
  for (const auto* bad : {"NaN", "-1", "1e300"}) {
    EXPECT_THAT(complete_labels(rank("0", "0.5", bad) + rank("1")), ElementsAre("1")) << bad;
  }
}

TEST(MetricsPage, LeavesOutARankOfWhichALineIsMissing) {
  const auto whole = rank("0");
  for (std::size_t start = 0; start < whole.size(); start = whole.find('\n', start) + 1) {
    auto text = whole;
    text.erase(start, whole.find('\n', start) + 1 - start);
    EXPECT_THAT(complete_labels(text + rank("1")), ElementsAre("1")) << text;
  }
}

TEST(MetricsPage, AddsUpTheRowsOfOneRankExceptItsFill) {
  auto adapter = rank("0", "0.7");
  for (std::size_t at = 0; (at = adapter.find("\"m\"", at)) != std::string::npos; ++at) adapter[at + 1] = 'a';
  const auto page = read_metrics_page(rank("0", "0.25") + adapter).value();
  ASSERT_EQ(page.ranks.size(), 1U);
  EXPECT_EQ(page.ranks[0].running, 6);
  EXPECT_EQ(page.ranks[0].waiting, 2);
  EXPECT_EQ(page.ranks[0].kv_used, 0.7);
  EXPECT_EQ(page.ranks[0].prefix_queries, 2000);
  EXPECT_EQ(page.ranks[0].prefix_hits, 500);
}

TEST(MetricsPage, TakesAnUnlabelledEngineForOneRank) {
  auto text = rank("");
  EXPECT_THAT(complete_labels(text), ElementsAre(""));
}

TEST(MetricsPage, TreatsUnknownConfigurationAsNotTold) {
  const auto page = read_metrics_page(
      rank("0") +
      "vllm:cache_config_info{engine=\"0\",kv_cache_size_tokens=\"None\",block_size=\"16.5\"} 1\n");
  ASSERT_TRUE(page);
  EXPECT_FALSE(page->ranks[0].kv_capacity_tokens);
  EXPECT_FALSE(page->ranks[0].block_size);
  EXPECT_FALSE(page->ranks[0].prefix_caching);
}

RankMetrics with_config(std::string_view labels) {
  const auto page = read_metrics_page(
      rank("0") +
      fmt::format("vllm:cache_config_info{{engine=\"0\",kv_cache_size_tokens=\"4096\",{}}} 1\n", labels));
  return page.value().ranks.at(0);
}

TEST(MetricsPage, TellsTheHostTier) {
  EXPECT_EQ(with_config(R"(kv_offloading_size="None")").host_kv_gib, 0);
  auto rank = with_config(R"(kv_offloading_size="4.0",kv_cache_memory_bytes="None")");
  EXPECT_EQ(rank.host_kv_gib, 4);
  EXPECT_FALSE(rank.host_kv_tokens);
  rank = with_config(R"(kv_offloading_size="4.0",kv_cache_memory_bytes="1073741824")");
  EXPECT_EQ(rank.host_kv_tokens, 4 * 4096);
  rank = with_config(
      R"(kv_offloading_size="4.0",kv_cache_memory_bytes="1073741824",num_gpu_blocks_override="160")");
  EXPECT_FALSE(rank.host_kv_tokens);
  EXPECT_FALSE(with_config(R"(block_size="16")").host_kv_gib);
}

TEST(MetricsPage, RefusesAPageThatIsCutOrNamesTooManyRanks) {
  const auto text = rank("0");
  EXPECT_FALSE(read_metrics_page(text.substr(0, text.size() - 2)));
  std::string many;
  for (int i = 0; i <= 1024; ++i) many += fmt::format("vllm:num_requests_running{{engine=\"{}\"}} 0\n", i);
  EXPECT_FALSE(read_metrics_page(many));
}

}  // namespace
}  // namespace lmw::engine
