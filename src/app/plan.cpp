#include "app/plan.hpp"

#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/report_output.hpp"
#include "base/version.hpp"
#include "lab/capacity.hpp"
#include "lab/experiment.hpp"
#include "report/tables.hpp"

namespace lmw::app {

namespace {

struct PlanOptions {
  std::string profile = "a4000-qwen3-4b";
  int replicas = 4;
  std::optional<std::int64_t> kv_tokens;
  lab::Agents agents;
  std::vector<int> sessions;
  ReportOutput output;
};

void add_options(CLI::App& command, PlanOptions& options) {
  command.add_option("--context", options.agents.context, "tokens that a session's context grows to")
      ->check(CLI::Range(256, 10'000'000))
      ->capture_default_str();
  command.add_option("--shared", options.agents.shared, "tokens of it that all sessions share")
      ->check(CLI::Range(0, 10'000'000))
      ->capture_default_str();
  command.add_option("--think", options.agents.think, "median seconds between two turns")
      ->check(CLI::Range(0.0, 86'400.0))
      ->capture_default_str();
  command.add_option("--sessions", options.sessions, "to draw, as 4,8,16 (default: around what fits)")
      ->delimiter(',')
      ->check(CLI::Range(1, 10'000));
  command.add_option("--replicas", options.replicas)->check(CLI::Range(1, 1024))->capture_default_str();
  command.add_option("--kv-tokens", options.kv_tokens, "KV cache of a replica (default: the profile's)")
      ->check(CLI::Range(std::int64_t{1024}, std::int64_t{1} << 40));
  command.add_option("--profile", options.profile, "hardware and model of the replica model")
      ->capture_default_str();
  add_report_output(command, options.output);
}

int complain(const std::string& why) {
  fmt::print(stderr, "lmwarden plan: {}\n", why);
  return 2;
}

int run_plan(const PlanOptions& options) {
  const auto* profile = replica::find_profile(options.profile);
  if (!profile) return complain(fmt::format("there is no profile '{}'", options.profile));
  lab::Workload workload{.name = "plan",
                         .what = "agents of one size",
                         .profile = *profile,
                         .replicas = options.replicas,
                         .step = std::chrono::minutes(20),
                         .warm = std::chrono::minutes(10),
                         .fresh = true,
                         .stagger = std::chrono::seconds(1)};
  workload.profile.kv_tokens = options.kv_tokens.value_or(profile->kv_tokens);
  workload.profile.max_model_len = std::max(profile->max_model_len, options.agents.context);
  const auto fit = lab::sessions_that_fit(options.agents, workload.profile.kv_tokens);
  if (fit == 0) return complain("not even one session of that context fits a replica's KV cache");
  workload.shape = lab::shape_of(options.agents);
  const int all = fit * options.replicas;
  workload.sessions = options.sessions.empty() ? lab::around(all) : options.sessions;

  lab::Experiment experiment{.workload = workload,
                             .arms = {lab::find_policy("engine"), lab::find_policy("affinity")}};
  auto report = lab::run(experiment, [](const report::Report&) {});
  report.title = fmt::format("Plan: sessions of {} tokens", options.agents.context);
  report.timelines.clear();
  report.provenance = {{"version", "lmwarden " + std::string(version)},
                       {"profile", profile->name},
                       {"KV tokens a replica", std::to_string(workload.profile.kv_tokens)},
                       {"replicas", std::to_string(options.replicas)},
                       {"clock", "virtual"}};
  const bool written = write_report(options.output, report);
  if (takes_stdout(options.output)) return written ? 0 : 1;
  fmt::print(
      "{} sessions × {} tokens fit: {} on each of {} replicas of {} KV tokens ({} shared).\n\n{}\n"
      "Times are engine seconds of the model '{}'.\n",
      all, options.agents.context, fit, options.replicas, workload.profile.kv_tokens, options.agents.shared,
      report::to_table(report), profile->name);
  return written ? 0 : 1;
}

}  // namespace

void add_plan(CLI::App& app, int& status) {
  auto options = std::make_shared<PlanOptions>();  // lives as long as the parser that fills it
  auto* command = app.add_subcommand("plan", "Say how many sessions fit, and what the next ones cost");
  add_options(*command, *options);
  command->callback([options, &status] { status = run_plan(*options); });
}

}  // namespace lmw::app
