// What discovery finds of one engine. Absent means that the engine does not tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace lmw::engine {

struct ServedModel {
  std::string id;
  std::optional<std::int64_t> max_model_len;
  bool adapter = false;  // a LoRA name on a base model
};

struct RankFacts {
  std::string label;                               // the `engine` label in /metrics; "" when it has none
  std::optional<std::int64_t> kv_capacity_tokens;  // a replica
  std::optional<int> block_size;                   // tokens
  std::optional<bool> prefix_caching;
  // Of the host tier (--kv-offloading-size) of a replica; 0: it has none.
  std::optional<double> host_kv_gib;
  std::optional<std::int64_t> host_kv_tokens;  // where the engine tells what a token takes
};

// What the configuration says of an engine, before all that the engine tells. Empty: it says nothing.
struct ConfiguredFacts {
  std::optional<int> ranks;
  std::optional<int> max_num_seqs;
  std::optional<std::int64_t> kv_capacity_tokens;  // a replica
  std::optional<std::int64_t> host_kv_tokens;      // a replica
};

struct Facts {
  std::string version;              // of /version; "" = unknown
  std::vector<ServedModel> models;  // in the engine's order: the base model first
  std::vector<RankFacts> ranks;     // in order of rank; at least one
  std::optional<int> max_num_seqs;  // only in vLLM's dev mode
  bool has_metrics = false;         // /metrics answers with vLLM's names
  ConfiguredFacts configured;       // those of the above that are not from the engine
};

// What was found, and before it what is configured.
Facts with(const ConfiguredFacts& configured, Facts found);

// The model of that name; the first one for "". An error names what the engine at `url` serves.
Result<ServedModel> choose_model(const Facts& facts, const std::string& url, const std::string& id);

// Whether a version such as "0.32.0" or "0.33.0rc1" is at least major.minor; nothing when it can't be read.
std::optional<bool> version_at_least(const std::string& version, int major, int minor);

}  // namespace lmw::engine
