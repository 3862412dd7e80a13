// One configured engine at run time: its connections and its monitor.
#pragma once

#include <optional>
#include <string>

#include "config/config.hpp"
#include "engine/monitor.hpp"
#include "net/upstream_pool.hpp"
#include "routing/ids.hpp"

namespace lmw::gateway {

struct Pool;

struct Backend {
  Backend(config::Engine engine_config, const Origin& origin, const net::PoolOptions& options)
      : config(std::move(engine_config)), connections(origin, options) {}

  config::Engine config;
  net::UpstreamPool connections;
  std::unique_ptr<engine::Monitor> monitor;
  // Once it has been found.
  Pool* pool = nullptr;
  routing::EndpointId endpoint;
  bool warned_of_responses = false;

  bool ever_found() const { return pool != nullptr; }

  // What is known of it: what is configured, then what it told last. Nothing before it was found.
  std::optional<engine::Facts> facts() const {
    return monitor->facts().transform([this](const engine::Facts& told) { return with_configured(told); });
  }
  engine::Facts with_configured(const engine::Facts& told) const {
    const engine::ConfiguredFacts configured{.ranks = config.ranks,
                                             .max_num_seqs = config.max_num_seqs,
                                             .kv_capacity_tokens = config.kv_capacity_tokens,
                                             .host_kv_tokens = config.host_kv_tokens};
    return engine::with(configured, told);
  }
};

}  // namespace lmw::gateway
