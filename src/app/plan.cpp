#include "app/plan.hpp"

#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/profile_file.hpp"
#include "app/report_output.hpp"
#include "app/run_lines.hpp"
#include "app/run_to_end.hpp"
#include "app/workload_flags.hpp"
#include "bench/gateway.hpp"
#include "lab/capacity.hpp"
#include "lab/experiment.hpp"
#include "lab/provenance.hpp"
#include "report/tables.hpp"

namespace lmw::app {

namespace {

struct PlanOptions {
  std::string admin, admin_token, model;
  std::string profile = "a4000-qwen3-4b";
  std::optional<int> replicas, context, shared;
  std::optional<std::int64_t> kv_tokens;
  double think = lab::Agents().think;
  std::vector<int> sessions;
  ReportOutput output;
};

void add_options(CLI::App& command, PlanOptions& options) {
  command.add_option("--admin", options.admin,
                     "LM Warden's admin side: replicas, KV cache and contexts are those of its last hour");
  command.add_option("--admin-token", options.admin_token)->envname("LMWARDEN_ADMIN_TOKEN");
  command.add_option("--model", options.model, "there (default: the first)");
  command
      .add_option("--context", options.context, "tokens that a session's context grows to (default: 58000)")
      ->check(CLI::Range(256, 10'000'000));
  command.add_option("--shared", options.shared, "tokens of it that all sessions share (default: a quarter)")
      ->check(CLI::Range(0, 10'000'000));
  command.add_option("--think", options.think, "median seconds between two turns")
      ->check(CLI::Range(0.0, 86'400.0))
      ->capture_default_str();
  command.add_option("--sessions", options.sessions, "to draw, as 4,8,16 (default: around what fits)")
      ->delimiter(',')
      ->check(CLI::Range(1, 10'000));
  command.add_option("--replicas", options.replicas, "default: 4")->check(CLI::Range(1, 1024));
  command.add_option("--kv-tokens", options.kv_tokens, "KV cache of a replica (default: the profile's)")
      ->check(CLI::Range(std::int64_t{1024}, std::int64_t{1} << 40));
  command.add_option("--profile", options.profile, profile_help())->capture_default_str();
  add_report_output(command, options.output);
}

int complain(const std::string& why) {
  fmt::print(stderr, "lmwarden plan: {}\n", why);
  return 2;
}

// Fills in what a running LM Warden tells and was not given.
Result<void> look_at_gateway(PlanOptions& options) {
  const auto origin = parse_origin(options.admin);
  if (!origin) return failure("--admin: " + origin.error().message);
  const engine::Access access{*origin, options.admin_token};
  net::asio::io_context context(1);
  const auto box = run_to_end(context, [&]() -> net::awaitable<Result<bench::LiveBox>> {
    auto model = Result<std::string>(options.model);
    if (options.model.empty()) model = co_await bench::Gateway::first_model(access);
    if (!model) co_return std::unexpected(model.error());
    co_return co_await bench::Gateway(access, *model).live_box();
  });
  if (!box) return std::unexpected(box.error());
  if (box->context == 0 && !options.context)
    return failure("there was no conversation in the last hour to plan with: --context");
  fmt::print(stderr, "{}: {} replicas up, {} conversations in the last hour, nine in ten within {} tokens\n",
             options.admin, box->replicas, box->conversations, box->context);
  if (!options.replicas) options.replicas = box->replicas;
  if (!options.kv_tokens) options.kv_tokens = box->kv_tokens;
  if (!options.context) options.context = std::max(256, box->context);
  return {};
}

lab::Agents agents_of(const PlanOptions& options) {
  lab::Agents agents;
  agents.context = options.context.value_or(agents.context);
  agents.shared = options.shared.value_or(agents.context / 4);
  agents.think = options.think;
  return agents;
}

int run_plan(PlanOptions options, const About& run) {
  if (!options.admin.empty()) {
    if (const auto looked = look_at_gateway(options); !looked) return complain(looked.error().message);
  }
  const auto profile = load_profile(options.profile);
  if (!profile) return complain(profile.error().message);
  const auto agents = agents_of(options);
  const int replicas = options.replicas.value_or(4);
  lab::Workload workload{.name = "plan",
                         .what = "agents of one size",
                         .profile = *profile,
                         .replicas = replicas,
                         .step = std::chrono::minutes(20),
                         .warm = std::chrono::minutes(10),
                         .fresh = true,
                         .stagger = std::chrono::seconds(1)};
  workload.profile.kv_tokens = options.kv_tokens.value_or(profile->kv_tokens);
  workload.profile.max_model_len = std::max(profile->max_model_len, agents.context);
  const auto fit = lab::sessions_that_fit(agents, workload.profile.kv_tokens);
  if (fit == 0) return complain("not even one session of that context fits a replica's KV cache");
  workload.shape = lab::shape_of(agents);
  const int all = fit * replicas;
  workload.sessions = options.sessions.empty() ? lab::around(all) : options.sessions;

  lab::Experiment experiment{
      .workload = workload,
      .arms = {lab::find_policy("engine"), lab::find_policy("affinity"), lab::find_policy("places")}};
  auto report = lab::run(experiment, [](const report::Report&) {});
  report.title = fmt::format("Plan: sessions of {} tokens", agents.context);
  report.timelines.clear();
  report.provenance = lab::provenance(experiment);
  report.provenance.emplace_back(
      "fits", fmt::format("{} sessions of {} tokens, {} of them shared", all, agents.context, agents.shared));
  report.provenance.insert(report.provenance.end(), run.begin(), run.end());
  const bool written = write_report(options.output, report);
  if (takes_stdout(options.output)) return written ? 0 : 1;
  fmt::print(
      "{} sessions × {} tokens fit: {} on each of {} replicas of {} KV tokens ({} shared).\n\n{}\n"
      "Times are engine seconds of the model '{}'.\n",
      all, agents.context, fit, replicas, workload.profile.kv_tokens, agents.shared, report::to_table(report),
      profile->name);
  return written ? 0 : 1;
}

}  // namespace

void add_plan(CLI::App& app, int& status) {
  auto options = std::make_shared<PlanOptions>();  // lives as long as the parser that fills it
  auto* command = app.add_subcommand("plan", "Say how many sessions fit, and what the next ones cost");
  add_options(*command, *options);
  command->callback([options, command, &status] { status = run_plan(*options, run_lines(*command)); });
}

}  // namespace lmw::app
