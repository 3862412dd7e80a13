// The command line: what can be run, with which options.
#include <cstdio>
#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/bench.hpp"
#include "app/calibrate.hpp"
#include "app/demo.hpp"
#include "app/doctor.hpp"
#include "app/lab.hpp"
#include "app/plan.hpp"
#include "app/serve.hpp"
#include "app/simulate.hpp"
#include "base/version.hpp"
#include "config/print.hpp"
#include "config/settings.hpp"
#include "config/sources.hpp"

namespace lmw::app {

namespace {

constexpr const char* default_config = "lmwarden.toml";

// What `serve` was told: each flag of the table of settings, as (name, value).
struct ServeFlags {
  std::string config_file;
  bool print_config = false;
  std::vector<std::pair<std::string, std::string>> settings;
};

void add_serve(CLI::App& app, ServeFlags& flags, int& status) {
  auto* serve = app.add_subcommand("serve", "Run the gateway before one or more engines");
  serve->add_option("--config", flags.config_file,
                    "Configuration file (default: lmwarden.toml where there is one)");
  serve->add_flag("--print-config", flags.print_config, "Print the configuration in force, and exit");
  for (const auto& flag : config::flags()) {
    serve->add_option_function<std::vector<std::string>>(
        flag.name,
        [&flags, name = flag.name](const std::vector<std::string>& values) {
          for (const auto& value : values) flags.settings.emplace_back(name, value);
        },
        flag.help);
  }
  serve->callback([&] {
    if (flags.config_file.empty() && std::filesystem::exists(default_config))
      flags.config_file = default_config;
    const auto sources = config::gather_sources(flags.config_file, flags.settings);
    if (!sources) {
      fmt::print(stderr, "lmwarden: {}\n", sources.error().message);
      status = 2;
      return;
    }
    auto loaded = config::load(*sources);
    if (!loaded) {
      for (const auto& error : loaded.error()) fmt::print(stderr, "lmwarden: {}\n", error.message);
      status = 2;
      return;
    }
    if (flags.print_config) {
      fmt::print("{}", config::effective_toml(*loaded));
      return;
    }
    status = run_serve(std::move(loaded->config));
  });
}

void add_demo(CLI::App& app, DemoOptions& options, int& status) {
  auto* demo =
      app.add_subcommand("demo", "Show the main job on the replica model, with and without affinity");
  demo->add_option("--replicas", options.replicas, "Replicas of the engine")->check(CLI::Range(1, 64));
  demo->add_option("--agents", options.agents, "Agents at work")->check(CLI::Range(1, 256));
  demo->add_option("--profile", options.profile, "Hardware profile of the replica model");
  demo->add_option("--speed", options.speed, "Engine seconds a wall second")->check(CLI::Range(0.1, 100.0));
  demo->add_option("--seconds", options.seconds, "Engine seconds an arm")->check(CLI::Range(10.0, 86400.0));
  demo->add_option("--seed", options.seed, "Seed of the agents' work");
  demo->add_option("--json", options.json_file, "Write the results as JSON; - is standard output");
  demo->add_option("--listen", options.listen, "Address of the API");
  demo->add_option("--admin-listen", options.admin_listen, "Address of the admin side");
  demo->add_flag("--exit", options.exit, "End after the table instead of serving on");
  demo->callback([&] { status = run_demo(options); });
}

void add_doctor(CLI::App& app, DoctorOptions& options, int& status) {
  auto* doctor = app.add_subcommand("doctor", "Say what engines offer, and what is missing");
  doctor->add_option("--engine", options.urls, "URL of an engine; may be given again")->required();
  doctor->add_option("--api-key", options.api_key, "The engine's key (vllm --api-key)");
  doctor->add_flag("--json", options.json, "Print JSON");
  doctor->add_flag("!--no-probe", options.probe, "Send no request to the model");
  doctor->callback([&] { status = run_doctor(options, std::cout); });
}

int run(int argc, char** argv) {
  CLI::App app("Keeps the conversations of coding agents on the vLLM replica that holds their prefix cache.",
               "lmwarden");
  app.set_version_flag("--version", std::string(version));
  app.require_subcommand(1);
  int status = 0;
  ServeFlags serve;
  DemoOptions demo;
  DoctorOptions doctor;
  add_serve(app, serve, status);
  add_simulate(app, status);
  add_demo(app, demo, status);
  add_doctor(app, doctor, status);
  add_lab(app, status);
  add_plan(app, status);
  add_bench(app, status);
  add_calibrate(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  return status;
}

}  // namespace

}  // namespace lmw::app

int main(int argc, char** argv) {
  try {
    return lmw::app::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "lmwarden: {}\n", error.what());
    return 1;
  }
}
