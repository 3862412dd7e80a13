// An engine's /metrics as numbers of each rank. Names are vLLM's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace lmw::engine {

struct RankMetrics {
  std::string label;
  double running = 0;
  double waiting = 0;
  double kv_used = 0;                              // 0..1
  std::int64_t prefix_queries = 0;                 // tokens since the engine's start
  std::int64_t prefix_hits = 0;
  std::optional<std::int64_t> kv_capacity_tokens;
  std::optional<int> block_size;
  std::optional<bool> prefix_caching;
};

struct MetricsPage {
  std::vector<RankMetrics> ranks;                  // complete ones only, by label as a number
  std::optional<double> process_start_time;        // s; only with a single API server process
};

// A rank whose gauges are missing, not finite or out of range is left out of `ranks`. Errors: the page can't be parsed.
Result<MetricsPage> read_metrics_page(std::string_view text);

}  // namespace lmw::engine
