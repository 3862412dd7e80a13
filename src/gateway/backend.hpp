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
};

}  // namespace lmw::gateway
