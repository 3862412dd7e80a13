#include "simulator/metrics.hpp"

#include <map>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/recorded.hpp"
#include "wire/prometheus_text.hpp"

namespace lmw::simulator {
namespace {

// Of each sample name, the sets of label keys that it comes with.
using Shapes = std::map<std::string, std::set<std::set<std::string>>>;

Shapes shapes_of(const std::string& page) {
  Shapes shapes;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    const auto name_end = line.find_first_of("{ ");
    std::set<std::string> keys;
    for (auto at = name_end; line[at] == '{' || line[at] == ',';) {
      const auto equals = line.find('=', at);
      keys.insert(line.substr(at + 1, equals - at - 1));
      at = line.find('"', equals + 2) + 1;
    }
    shapes[line.substr(0, name_end)].insert(keys);
  }
  return shapes;
}

std::vector<std::string> types_of(const std::string& page) {
  std::vector<std::string> types;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE")) types.push_back(line);
  }
  return types;
}

MetricsReading two_replicas() {
  MetricsReading reading;
  reading.model = "tiny";
  reading.block_size = 32;
  reading.kv_tokens = 5120;
  reading.max_model_len = 4096;
  reading.process_start = 1.79597615126e9;
  reading.replicas.resize(2);
  return reading;
}

TEST(Metrics, HaveTheNamesTypesAndLabelsOfTheEngine) {
  const auto sample = recorded("metrics-simulated.txt");
  const auto page = render_metrics(two_replicas());
  EXPECT_THAT(types_of(page), testing::UnorderedElementsAreArray(types_of(sample)));
  auto ours = shapes_of(page);
  auto theirs = shapes_of(sample);
  // Three dozen labels that change between versions: those that we have must be among them.
  const auto config = *ours.extract("vllm:cache_config_info").mapped().begin();
  EXPECT_THAT(*theirs.extract("vllm:cache_config_info").mapped().begin(), testing::IsSupersetOf(config));
  EXPECT_EQ(ours, theirs);
}

double value_of(const std::string& page, std::string_view name, std::string_view engine,
                std::string_view key = "", std::string_view label = "") {
  const auto samples = wire::read_prometheus_text(page, {name});
  for (const auto& sample : *samples) {
    if (sample.label("engine") == engine && sample.label(key) == label) return sample.value;
  }
  ADD_FAILURE() << name << " of engine " << engine << " is not there";
  return -1;
}

TEST(Metrics, TellTheCountsOfEachReplica) {
  auto reading = two_replicas();
  auto& replica = reading.replicas[1];
  replica.stats.running = 3;
  replica.stats.kv_used = 0.25;
  replica.tally.first_token(1000, 960, 320, std::chrono::milliseconds(30));
  replica.tally.cut_by_length = 2;
  const auto page = render_metrics(reading);
  EXPECT_EQ(value_of(page, "vllm:num_requests_running", "0"), 0);
  EXPECT_EQ(value_of(page, "vllm:num_requests_running", "1"), 3);
  EXPECT_EQ(value_of(page, "vllm:kv_cache_usage_perc", "1"), 0.25);
  EXPECT_EQ(value_of(page, "vllm:prompt_tokens_by_source_total", "1", "source", "local_compute"), 40);
  EXPECT_EQ(value_of(page, "vllm:prompt_tokens_by_source_total", "1", "source", "local_cache_hit"), 640);
  EXPECT_EQ(value_of(page, "vllm:prompt_tokens_by_source_total", "1", "source", "external_kv_transfer"), 320);
  EXPECT_EQ(value_of(page, "vllm:prompt_tokens_cached_total", "1"), 960);
  EXPECT_EQ(value_of(page, "vllm:request_success_total", "1", "finished_reason", "length"), 2);
  EXPECT_EQ(value_of(page, "vllm:time_to_first_token_seconds_bucket", "1", "le", "0.02"), 0);
  EXPECT_EQ(value_of(page, "vllm:time_to_first_token_seconds_bucket", "1", "le", "0.04"), 1);
  EXPECT_EQ(value_of(page, "vllm:time_to_first_token_seconds_bucket", "1", "le", "+Inf"), 1);
  EXPECT_DOUBLE_EQ(value_of(page, "vllm:time_to_first_token_seconds_sum", "1"), 0.03);
}

TEST(Metrics, TellTheCapacityOfAReplica) {
  const auto page = render_metrics(two_replicas());
  EXPECT_THAT(page, testing::HasSubstr(R"(kv_cache_max_concurrency="1.25",kv_cache_size_tokens="5120")"));
  EXPECT_THAT(page, testing::HasSubstr(R"(num_gpu_blocks="160")"));
}

TEST(Metrics, TellTheSizeOfTheHostTier) {
  auto reading = two_replicas();
  EXPECT_THAT(render_metrics(reading), testing::HasSubstr(R"(kv_offloading_size="None")"));
  reading.host_kv_gib = 16;
  EXPECT_THAT(render_metrics(reading), testing::HasSubstr(R"(kv_offloading_size="16.0")"));
}

TEST(Metrics, LeaveOneReplicaOutWhenAsked) {
  auto reading = two_replicas();
  reading.left_out = 1;
  const auto page = render_metrics(reading);
  EXPECT_THAT(page, testing::HasSubstr("engine=\"0\""));
  EXPECT_THAT(page, testing::Not(testing::HasSubstr("engine=\"1\"")));
}

TEST(Metrics, EscapeTheModelsName) {
  auto reading = two_replicas();
  reading.model = "a\"b\\c";
  EXPECT_THAT(render_metrics(reading), testing::HasSubstr(R"(model_name="a\"b\\c")"));
}

TEST(Metrics, HaveNoStartTimeWithSeveralApiServers) {
  auto reading = two_replicas();
  reading.process_start.reset();
  EXPECT_THAT(render_metrics(reading), testing::Not(testing::HasSubstr("process_start_time_seconds")));
}

}  // namespace
}  // namespace lmw::simulator
