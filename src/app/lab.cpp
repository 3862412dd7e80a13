#include "app/lab.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/host_tier_flags.hpp"
#include "app/report_output.hpp"
#include "app/shape_flags.hpp"
#include "app/trace_file.hpp"
#include "base/version.hpp"
#include "lab/experiment.hpp"
#include "report/tables.hpp"

namespace lmw::app {

namespace {

// As the flags have it. What was not given is the workload's.
struct LabOptions {
  std::string workload = "published";
  std::vector<std::string> arms{"engine-0.26", "engine", "affinity"};
  std::vector<int> sessions;
  std::optional<double> seconds, warm, sessions_per_hour;
  std::string profile;
  std::vector<double> slow;
  std::optional<int> replicas;
  std::optional<std::int64_t> kv_tokens;
  HostTierFlags host;
  std::uint64_t seed = 1;
  int repeats = 1;
  std::string trace;
  bool strict = false;
  int timeline_step = -1;
  ShapeFlags shape;
  ReportOutput output;
};

template <class T>
std::string names_of(const T& list) {
  std::vector<std::string> names;
  for (const auto& item : list) names.emplace_back(item.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void add_options(CLI::App& command, LabOptions& options) {
  command.add_option("workload", options.workload, names_of(lab::workloads()))->capture_default_str();
  command.add_option("--arms", options.arms, "policies: " + names_of(lab::policies()))
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--sessions", options.sessions, "clients at work in each step, as 4,8,16")
      ->delimiter(',')
      ->check(CLI::Range(1, 100'000));
  command.add_option("--seconds", options.seconds, "length of a step")->check(CLI::Range(1.0, 1e7));
  command.add_option("--warm", options.warm, "seconds before a step that are not measured")
      ->check(CLI::Range(0.0, 1e7));
  command.add_option("--rate", options.sessions_per_hour, "sessions an hour, where they come at random")
      ->check(CLI::Range(0.001, 1e7));
  command.add_option("--profile", options.profile, "hardware and model: " + names_of(replica::profiles()));
  command.add_option("--slow", options.slow, "how much slower each card is, as 1,1.2; 1: all are equal")
      ->delimiter(',')
      ->check(CLI::Range(0.01, 100.0));
  command.add_option("--replicas", options.replicas)->check(CLI::Range(1, 1024));
  command.add_option("--kv-tokens", options.kv_tokens, "KV cache of a replica")
      ->check(CLI::Range(std::int64_t{1024}, std::int64_t{1} << 40));
  add_host_tier_flags(command, options.host);
  command.add_option("--seed", options.seed)->capture_default_str();
  command.add_option("--seeds", options.repeats, "runs of each arm, with so many seeds from --seed on")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command.add_option("--trace", options.trace, "sessions of this trace (JSON lines, also gzip)");
  command.add_flag("--strict", options.strict, "refuse a trace with lines that can't be read");
  command.add_option("--timeline-step", options.timeline_step,
                     "the step whose turns the HTML report draws, from 0 (default: the middle one)");
  add_shape_flags(command, options.shape);
  add_report_output(command, options.output);
}

Result<lab::Workload> workload_of(const LabOptions& options) {
  const auto* known = lab::find_workload(options.workload);
  if (!known) {
    return failure(fmt::format("there is no workload '{}'; there are: {}", options.workload,
                               names_of(lab::workloads())));
  }
  auto made = *known;
  if (!options.profile.empty()) {
    const auto* profile = replica::find_profile(options.profile);
    if (!profile) {
      return failure(fmt::format("there is no profile '{}'; there are: {}", options.profile,
                                 names_of(replica::profiles())));
    }
    made.profile = *profile;
  }
  if (!options.slow.empty()) made.profile.slow = options.slow;
  if (options.kv_tokens) made.profile.kv_tokens = *options.kv_tokens;
  options.host.apply(made.profile);
  made.replicas = options.replicas.value_or(made.replicas);
  if (!options.sessions.empty()) {
    if (made.arrivals != lab::Arrivals::closed)
      return failure(fmt::format("{} has no number of sessions", made.name));
    made.sessions = options.sessions;
  }
  if (options.seconds) made.step = from_seconds(*options.seconds);
  if (options.warm) made.warm = from_seconds(*options.warm);
  made.sessions_per_hour = options.sessions_per_hour.value_or(made.sessions_per_hour);
  options.shape.apply(made.shape);
  if (made.needs_trace && options.trace.empty()) {
    return failure(
        fmt::format("{} needs a trace: --trace FILE (docs/lab.md says where to get one)", made.name));
  }
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

std::string sessions_text(const lab::Workload& workload) {
  switch (workload.arrivals) {
    case lab::Arrivals::closed:
      return fmt::format("{}", fmt::join(workload.sessions, ", "));
    case lab::Arrivals::poisson:
      return fmt::format("{:g} an hour, at random", workload.sessions_per_hour);
    case lab::Arrivals::recorded:
      break;
  }
  return "as recorded";
}

// What is needed to run it again.
std::vector<std::pair<std::string, std::string>> provenance(const LabOptions& options,
                                                            const lab::Experiment& experiment) {
  const auto& workload = experiment.workload;
  const auto& profile = workload.profile;
  const auto& cost = profile.cost;
  std::vector<std::pair<std::string, std::string>> lines{
      {"version", "lmwarden " + std::string(version)},
      {"workload", fmt::format("{}: {}", workload.name, workload.what)},
      {"engine",
       fmt::format("replica model, {} replicas, {} API servers", workload.replicas, workload.replicas)},
      {"profile",
       fmt::format("{}: base {:g} s, prefill {:g} s/token, attn {:g}, seq {:g}, kvread {:g}; "
                   "{} KV tokens in blocks of {}, {} in the host tier at {:g} s/token; max_num_seqs {}; "
                   "cards [{}]; network {:g} s",
                   profile.name, cost.base, cost.prefill, cost.attn, cost.seq, cost.kvread, profile.kv_tokens,
                   profile.block_size, profile.host_kv_tokens, profile.host_load, profile.max_num_seqs,
                   fmt::join(profile.slow, ", "), seconds(profile.network))},
      {"sessions", sessions_text(workload)},
      {"step", fmt::format("{:g} s after {:g} s of warm-up{}", seconds(workload.step), seconds(workload.warm),
                           workload.fresh ? ", each on an empty box" : "")},
      {"seeds", experiment.repeats == 1
                    ? std::to_string(experiment.seed)
                    : fmt::format("{} to {}; means", experiment.seed,
                                  experiment.seed + static_cast<std::uint64_t>(experiment.repeats) - 1)},
      {"clock", "virtual"},
  };
  if (!options.trace.empty()) lines.emplace_back("trace", options.trace);
  return lines;
}

int complain(const std::string& why) {
  fmt::print(stderr, "lmwarden lab: {}\n", why);
  return 2;
}

void say_what_did_not_finish(const report::Report& report) {
  for (const auto& arm : report.arms) {
    for (const auto& step : arm.steps) {
      if (step.turns.value_or(0) > 0) continue;
      fmt::print(stderr, "{}: no turn ended in the step of {} sessions\n", arm.name, step.sessions);
    }
  }
}

int run_lab(const LabOptions& options) {
  auto workload = workload_of(options);
  if (!workload) return complain(workload.error().message);
  auto arms = arms_of(options);
  if (!arms) return complain(arms.error().message);
  lab::Experiment experiment{.workload = std::move(*workload),
                             .arms = std::move(*arms),
                             .seed = options.seed,
                             .repeats = options.repeats};
  std::optional<workload::Trace> trace;
  if (!options.trace.empty()) {
    auto read = load_trace(options.trace, {.strict = options.strict});
    if (!read) return complain(read.error().message);
    trace = std::move(*read);
    for (const auto& line : trace->skipped) fmt::print(stderr, "skipped: {}\n", line);
    experiment.recorded = &trace->sessions;
    experiment.workload.profile.block_size = trace->block_size;
  }
  const auto steps = experiment.workload.sessions.size();
  experiment.timeline_step =
      options.timeline_step >= 0 ? static_cast<std::size_t>(options.timeline_step) : steps / 2;

  const auto about = provenance(options, experiment);
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
  say_what_did_not_finish(report);
  return written ? 0 : 1;
}

}  // namespace

void add_lab(CLI::App& app, int& status) {
  auto options = std::make_shared<LabOptions>();  // lives as long as the parser that fills it
  auto* command = app.add_subcommand("lab", "Compare policies on the replica model, in virtual time");
  add_options(*command, *options);
  command->callback([options, &status] { status = run_lab(*options); });
}

}  // namespace lmw::app
