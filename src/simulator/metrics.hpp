// The engine's /metrics page: names, labels and types of vLLM 0.32, the part of them that says something
// here. max_num_seqs is not on it, as on the real one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replica/engine.hpp"
#include "simulator/tally.hpp"

namespace lmw::simulator {

struct ReplicaReading {
  replica::ReplicaStats stats;
  Tally tally;
};

struct MetricsReading {
  std::string model;
  int block_size = 16;
  std::int64_t kv_tokens = 0;  // a replica
  double host_kv_gib = 0;      // its host tier; 0: none
  int max_model_len = 0;
  std::int64_t busy_rejections = 0;
  std::optional<double> process_start;  // unix seconds; absent when there are several API servers
  std::optional<int> left_out;          // a replica whose samples are missing (a fault)
  std::vector<ReplicaReading> replicas;
};

std::string render_metrics(const MetricsReading& reading);
inline constexpr std::string_view metrics_content_type = "text/plain; version=1.0.0; charset=utf-8";

}  // namespace lmw::simulator
