// `lmwarden simulate`: a simulated engine in the foreground.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "simulator/options.hpp"

namespace CLI {
class App;
}

namespace lmw::app {

// As the flags have it.
struct SimulateOptions {
  std::string listen = "127.0.0.1:8000";
  std::string profile = "a4000-qwen3-4b";
  std::string model;  // default: the profile's name
  std::string balancer = "engine";
  std::string script;  // a file; "" = none
  std::string engine_version = "0.32.0";
  int replicas = 4;
  int api_servers = 1;
  int max_model_len = 0;  // 0: the profile's
  double speed = 1;       // engine seconds a wall second
  std::uint64_t seed = 1;
  bool no_prompt_tokens_details = false;
  bool no_control = false;
};

// The flags of the command; `options` must outlive the parsing.
void add_simulate_options(CLI::App& command, SimulateOptions& options);

Result<simulator::SimulatorOptions> to_simulator(const SimulateOptions& options);

// Prints `Engine http://HOST:PORT` when it listens, and serves until SIGINT or SIGTERM. Returns the exit
// status.
int run_simulate(const SimulateOptions& options);

}  // namespace lmw::app
