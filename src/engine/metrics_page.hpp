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
  double kv_used = 0;               // 0..1
  std::int64_t prefix_queries = 0;  // tokens since the engine's start
  std::int64_t prefix_hits = 0;
  std::optional<std::int64_t> kv_capacity_tokens;
  std::optional<int> block_size;
  std::optional<bool> prefix_caching;
  std::optional<double> host_kv_gib;           // 0: no host tier
  std::optional<std::int64_t> host_kv_tokens;  // where the page tells what a token takes
};

struct MetricsPage {
  std::vector<std::string> labels;           // every rank that the page names, in order of rank
  std::vector<RankMetrics> ranks;            // the complete ones of them, in the same order
  std::optional<double> process_start_time;  // s; only with a single API server process
};

// Ranks are the distinct `engine` labels, in the order of their numbers; a page without vLLM's names has
// none. Rows of one rank that differ in other labels (LoRA names) are added up. A rank of which a gauge or
// counter is missing, not finite, negative or out of range is left out of `ranks`. Errors: the page can't be
// parsed, or names more than 1,024 ranks.
Result<MetricsPage> read_metrics_page(std::string_view text);

}  // namespace lmw::engine
