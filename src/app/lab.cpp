#include "app/lab.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/host_tier_flags.hpp"
#include "app/profile_file.hpp"
#include "app/report_output.hpp"
#include "app/run_lines.hpp"
#include "app/workload_flags.hpp"
#include "lab/experiment.hpp"
#include "lab/provenance.hpp"
#include "report/tables.hpp"

namespace lmw::app {

namespace {

// As the flags have it. What was not given is the workload's.
struct LabOptions {
  WorkloadFlags workload;
  std::vector<std::string> arms{"engine-0.26", "engine", "affinity"};
  std::string profile;
  std::vector<double> slow;
  std::optional<int> replicas;
  std::optional<std::int64_t> kv_tokens;
  double kv_told = 1;
  HostTierFlags host;
  std::uint64_t seed = 1;
  int repeats = 1;
  ReportOutput output;
};

void add_options(CLI::App& command, LabOptions& options) {
  add_workload_flags(command, options.workload);
  command.add_option("--arms", options.arms, "policies: " + names_of(lab::policies()))
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--profile", options.profile, profile_help());
  command.add_option("--slow", options.slow, "how much slower each card is, as 1,1.2; 1: all are equal")
      ->delimiter(',')
      ->check(CLI::Range(0.01, 100.0));
  command.add_option("--replicas", options.replicas)->check(CLI::Range(1, 1024));
  command.add_option("--kv-tokens", options.kv_tokens, "KV cache of a replica")
      ->check(CLI::Range(std::int64_t{1024}, std::int64_t{1} << 40));
  command
      .add_option("--kv-told", options.kv_told,
                  "the share of it that LM Warden is told, to see what a wrong figure costs; 0: none is told")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
  add_host_tier_flags(command, options.host);
  command.add_option("--seed", options.seed)->capture_default_str();
  command.add_option("--seeds", options.repeats, "runs of each arm, with so many seeds from --seed on")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  add_report_output(command, options.output);
}

Result<lab::Workload> workload_of(const LabOptions& options) {
  auto made = options.workload.workload();
  if (!made) return made;
  if (!options.profile.empty()) {
    const auto profile = load_profile(options.profile);
    if (!profile) return std::unexpected(profile.error());
    made->profile = *profile;
  }
  if (!options.slow.empty()) made->profile.slow = options.slow;
  if (options.kv_tokens) made->profile.kv_tokens = *options.kv_tokens;
  made->kv_told = options.kv_told;
  options.host.apply(made->profile);
  made->replicas = options.replicas.value_or(made->replicas);
  return made;
}

Result<std::vector<const lab::PolicyKind*>> arms_of(const LabOptions& options) {
  std::vector<const lab::PolicyKind*> arms;
  for (const auto& name : options.arms) {
    arms.push_back(lab::find_policy(name));
    if (!arms.back()) {
      return failure(fmt::format("there is no policy '{}'; there are: {}", name, names_of(lab::policies())));
    }
  }
  return arms;
}

int complain(const std::string& why) {
  fmt::print(stderr, "lmwarden lab: {}\n", why);
  return 2;
}

int run_lab(const LabOptions& options, const About& run) {
  auto workload = workload_of(options);
  if (!workload) return complain(workload.error().message);
  auto arms = arms_of(options);
  if (!arms) return complain(arms.error().message);
  lab::Experiment experiment{.workload = std::move(*workload),
                             .arms = std::move(*arms),
                             .seed = options.seed,
                             .repeats = options.repeats};
  const auto trace = options.workload.trace();
  if (!trace) return complain(trace.error().message);
  if (*trace) {
    experiment.recorded = &(*trace)->sessions;
    experiment.workload.profile.block_size = (*trace)->block_size;
  }
  experiment.timeline_step = options.workload.timeline_step_of(experiment.workload);

  auto about = lab::provenance(experiment);
  about.insert(about.end(), run.begin(), run.end());
  if (!options.workload.trace_file.empty()) about.emplace_back("trace", options.workload.trace_file);
  const auto begin = std::chrono::steady_clock::now();
  bool written = true;
  const auto report = lab::run(experiment, [&](const report::Report& so_far) {
    auto described = so_far;
    described.provenance = about;
    if (!takes_stdout(options.output) || so_far.arms.size() == experiment.arms.size())
      written = write_report(options.output, described) && written;
  });
  const double wall = seconds(std::chrono::steady_clock::now() - begin);
  if (!takes_stdout(options.output)) {
    fmt::print("{}\n", report::to_table(report));
    for (const auto& arm : report.arms) fmt::print("{:<15} {}\n", arm.name, arm.what);
    fmt::print(
        "\nTimes are engine seconds of the model '{}': a model, not a measurement of your GPUs. Took {:.1f} "
        "s.\n",
        experiment.workload.profile.name, wall);
  }
  warn_of_empty_steps(report);
  return written ? 0 : 1;
}

}  // namespace

void add_lab(CLI::App& app, int& status) {
  auto options = std::make_shared<LabOptions>();  // lives as long as the parser that fills it
  auto* command = app.add_subcommand("lab", "Compare policies on the replica model, in virtual time");
  add_options(*command, *options);
  command->callback([options, command, &status] { status = run_lab(*options, run_lines(*command)); });
}

}  // namespace lmw::app
