#include "engine/metrics_page.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "wire/prometheus_text.hpp"

namespace lmw::engine {

namespace {

constexpr std::size_t max_ranks = 1024;
enum Field : std::size_t { running, waiting, kv_used, prefix_queries, prefix_hits, field_count };
constexpr std::array<std::string_view, field_count> field_names{
    "vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc",
    "vllm:prefix_cache_queries_total", "vllm:prefix_cache_hits_total"};
// So that each fits the integers that it is kept in, here or by our callers.
constexpr std::array<double, field_count> field_limits{1e9, 1e9, 1, 9e18, 9e18};
constexpr std::string_view config_name = "vllm:cache_config_info";
constexpr std::string_view start_name = "process_start_time_seconds";

// Labels that are numbers come first, in the order of the numbers.
struct ByRank {
  static std::pair<std::uint64_t, std::string_view> key(std::string_view label) {
    std::uint64_t number = 0;
    const char* const end = label.data() + label.size();
    const auto [rest, error] = std::from_chars(label.data(), end, number);
    const bool is_number = error == std::errc() && rest == end;
    return {is_number ? number : std::numeric_limits<std::uint64_t>::max(), label};
  }
  bool operator()(std::string_view a, std::string_view b) const { return key(a) < key(b); }
};

// What the rows of one rank add up to.
struct Rows {
  std::array<std::optional<double>, field_count> fields;
  bool sound = true;
  std::optional<std::int64_t> kv_capacity_tokens;
  std::optional<int> block_size;
  std::optional<bool> prefix_caching;
  std::optional<double> host_kv_gib;
  std::optional<std::int64_t> host_kv_tokens;

  void add(Field field, double value) {
    auto& total = fields[field];
    // Fill is a share: it can't be added up.
    total = field == kv_used ? std::max(total.value_or(0), value) : total.value_or(0) + value;
    if (!(value >= 0 && *total <= field_limits[field])) sound = false;  // NaN too
  }
  bool complete() const {
    return sound && std::ranges::all_of(fields, [](const auto& total) { return total.has_value(); });
  }
};

template <class T>
std::optional<T> positive(std::string_view text) {
  T value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || value <= 0) return std::nullopt;
  return value;
}

std::optional<bool> truth(std::string_view text) {
  if (text == "True") return true;
  if (text == "False") return false;
  return std::nullopt;
}

// kv_cache_memory_bytes is a number only where --kv-cache-memory-bytes was given; it then tells what a token
// takes, unless the number of blocks was set too.
void read_host_tier(const wire::Sample& sample, Rows& rows) {
  const auto size = sample.label("kv_offloading_size");
  rows.host_kv_gib = size == "None" ? 0.0 : positive<double>(size);
  const auto bytes = positive<double>(sample.label("kv_cache_memory_bytes"));
  const bool blocks_set = positive<int>(sample.label("num_gpu_blocks_override")).has_value();
  if (!rows.kv_capacity_tokens || !bytes || blocks_set || rows.host_kv_gib.value_or(0) <= 0) return;
  const double a_token = *bytes / static_cast<double>(*rows.kv_capacity_tokens);
  const double tokens = *rows.host_kv_gib * (1 << 30) / a_token;
  if (tokens < field_limits[prefix_hits]) rows.host_kv_tokens = static_cast<std::int64_t>(tokens);
}

// num_gpu_blocks is no substitute for kv_cache_size_tokens: it can be a multiple of what a rank has.
void read_config(const wire::Sample& sample, Rows& rows) {
  rows.kv_capacity_tokens = positive<std::int64_t>(sample.label("kv_cache_size_tokens"));
  rows.block_size = positive<int>(sample.label("block_size"));
  rows.prefix_caching = truth(sample.label("enable_prefix_caching"));
  read_host_tier(sample, rows);
}

RankMetrics to_metrics(const std::string& label, const Rows& rows) {
  const auto whole = [&](Field field) { return static_cast<std::int64_t>(*rows.fields[field]); };
  return {.label = label,
          .running = *rows.fields[running],
          .waiting = *rows.fields[waiting],
          .kv_used = *rows.fields[kv_used],
          .prefix_queries = whole(prefix_queries),
          .prefix_hits = whole(prefix_hits),
          .kv_capacity_tokens = rows.kv_capacity_tokens,
          .block_size = rows.block_size,
          .prefix_caching = rows.prefix_caching,
          .host_kv_gib = rows.host_kv_gib,
          .host_kv_tokens = rows.host_kv_tokens};
}

}  // namespace

Result<MetricsPage> read_metrics_page(std::string_view text) {
  std::vector<std::string_view> wanted(field_names.begin(), field_names.end());
  wanted.insert(wanted.end(), {config_name, start_name});
  const auto samples = wire::read_prometheus_text(text, wanted);
  if (!samples) return std::unexpected(samples.error());

  MetricsPage page;
  std::map<std::string, Rows, ByRank> ranks;
  for (const auto& sample : *samples) {
    if (sample.name == start_name) {
      if (std::isfinite(sample.value)) page.process_start_time = sample.value;
      continue;
    }
    auto& rows = ranks[std::string(sample.label("engine"))];
    if (ranks.size() > max_ranks) return failure(fmt::format("more than {} engine labels", max_ranks));
    if (sample.name == config_name) {
      read_config(sample, rows);
      continue;
    }
    const auto field = std::ranges::find(field_names, sample.name) - field_names.begin();
    rows.add(static_cast<Field>(field), sample.value);
  }
  for (const auto& [label, rows] : ranks) {
    page.labels.push_back(label);
    if (rows.complete()) page.ranks.push_back(to_metrics(label, rows));
  }
  return page;
}

}  // namespace lmw::engine
