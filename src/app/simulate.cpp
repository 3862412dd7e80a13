#include "app/simulate.hpp"

#include <csignal>
#include <cstdio>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <fmt/format.h>

#include "app/host_tier_flags.hpp"
#include "app/profile_file.hpp"
#include "app/workload_flags.hpp"
#include "simulator/simulator.hpp"

namespace lmw::app {

namespace {

// As the flags have it.
struct SimulateOptions {
  std::string listen = "127.0.0.1:8000";
  std::string profile = "a4000-qwen3-4b";
  std::string model;  // default: the profile's name
  std::string balancer = "engine";
  std::string script;  // a file; "" = none
  std::string engine_version = "0.32.0";
  int replicas = 4;
  std::optional<int> api_servers;  // default: as many as replicas, which is vLLM's
  int max_model_len = 0;           // 0: the profile's
  HostTierFlags host;
  double speed = 1;  // engine seconds a wall second
  std::uint64_t seed = 1;
  bool no_prompt_tokens_details = false;
  bool no_control = false;
};

const std::map<std::string, replica::Balancer>& balancers() {
  static const std::map<std::string, replica::Balancer> names{
      {"engine", replica::Balancer::engine},
      {"engine-0.26", replica::Balancer::engine_0_26},
      {"engine-legacy", replica::Balancer::engine_legacy}};
  return names;
}

int complain(const Error& error) {
  fmt::print(stderr, "lmwarden simulate: {}\n", error.message);
  return 1;
}

void add_options(CLI::App& command, SimulateOptions& options) {
  command.add_option("--listen", options.listen, "host:port; port 0: any")->capture_default_str();
  command.add_option("--profile", options.profile, profile_help())->capture_default_str();
  command.add_option("--replicas", options.replicas, "data-parallel replicas")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_option("--speed", options.speed, "engine seconds a wall second")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
  command.add_option("--model", options.model, "its name (default: the profile's)");
  command
      .add_option("--balancer", options.balancer,
                  "the engine's own: engine (0.27+), engine-0.26, engine-legacy")
      ->check(CLI::IsMember(balancers()))
      ->capture_default_str();
  command
      .add_option("--api-servers", options.api_servers,
                  "API server processes (default: as many as replicas, as vLLM)")
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--max-model-len", options.max_model_len,
                  "longest prompt and reply (default: the profile's)")
      ->check(CLI::Range(16, 10'000'000));
  add_host_tier_flags(command, options.host);
  command
      .add_option("--engine-version", options.engine_version,
                  "what /version says; from 0.33 on, ranks are heeded on /v1/responses too")
      ->capture_default_str();
  command.add_option("--script", options.script, "a file of scripted replies")->check(CLI::ExistingFile);
  command.add_option("--seed", options.seed, "of words and lengths")->capture_default_str();
  command.add_flag("--no-prompt-tokens-details", options.no_prompt_tokens_details, "report no cached tokens");
  command.add_flag("--no-control", options.no_control, "don't serve /sim/faults");
}

Result<simulator::SimulatorOptions> to_simulator(const SimulateOptions& options) {
  const auto profile = load_profile(options.profile);
  if (!profile) return std::unexpected(profile.error());
  const auto balancer = balancers().find(options.balancer);
  if (balancer == balancers().end()) return failure(fmt::format("no balancer {}", options.balancer));

  simulator::SimulatorOptions made;
  made.listen = options.listen;
  made.profile = *profile;
  if (options.max_model_len > 0) made.profile.max_model_len = options.max_model_len;
  options.host.apply(made.profile);
  made.replicas = options.replicas;
  made.balancer = balancer->second;
  made.api_servers = options.api_servers.value_or(options.replicas);
  made.model = options.model.empty() ? profile->name : options.model;
  made.engine_version = options.engine_version;
  made.prompt_tokens_details = !options.no_prompt_tokens_details;
  made.seed = options.seed;
  made.control = !options.no_control;
  if (!options.script.empty()) {
    auto script = simulator::Script::load(options.script);
    if (!script) return std::unexpected(script.error());
    made.script = std::move(*script);
  }
  return made;
}

int run_simulate(const SimulateOptions& options) {
  auto engine = to_simulator(options);
  if (!engine) return complain(engine.error());
  boost::asio::io_context context(1);
  const auto simulator = simulator::Simulator::start(context, std::move(*engine), EngineClock(options.speed));
  if (!simulator) return complain(simulator.error());
  boost::asio::signal_set signals(context, SIGINT, SIGTERM);
  signals.async_wait([&](const boost::system::error_code& error, int) {
    if (!error) (*simulator)->stop();
  });
  fmt::print("Engine {}\n", (*simulator)->url());
  std::fflush(stdout);
  context.run();
  return 0;
}

}  // namespace

void add_simulate(CLI::App& app, int& status) {
  auto options = std::make_shared<SimulateOptions>();  // lives as long as the parser that fills it
  auto* command =
      app.add_subcommand("simulate", "Run a simulated vLLM server: the replica model behind HTTP");
  add_options(*command, *options);
  command->callback([options, &status] { status = run_simulate(*options); });
}

}  // namespace lmw::app
