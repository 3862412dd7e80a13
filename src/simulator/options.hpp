// What a simulated engine is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "replica/engine.hpp"
#include "simulator/script.hpp"

namespace lmw::simulator {

struct SimulatorOptions {
  std::string listen = "127.0.0.1:8000";  // port 0: any
  replica::Profile profile;
  int replicas = 1;
  replica::Balancer balancer = replica::Balancer::engine;
  int api_servers = 1;  // with several, /metrics has no process_start_time_seconds, as on the real one
  std::string model;    // as clients name it
  std::string engine_version = "0.32.0";
  bool prompt_tokens_details = true;  // vLLM's --enable-prompt-tokens-details
  std::optional<Script> script;       // without one, or where no rule holds: random words
  std::uint64_t seed = 1;             // of words and lengths; they depend on it and the prompt alone
  bool control = true;                // serves /sim/faults
};

// The largest prompt and reply together that a replica can hold.
inline std::int64_t max_request_tokens(const replica::Profile& profile) {
  const auto cache = profile.kv_tokens / profile.block_size * profile.block_size;
  return profile.max_model_len < cache ? profile.max_model_len : cache;
}

}  // namespace lmw::simulator
