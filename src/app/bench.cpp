#include "app/bench.hpp"

#include <chrono>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/bench_run.hpp"
#include "app/compare.hpp"
#include "app/run_to_end.hpp"
#include "base/version.hpp"
#include "lab/provenance.hpp"

namespace lmw::app {

namespace {

// Of a model's context, so that what the chat template and a real tokenizer add to a trace still fits.
constexpr double usable_context = 0.9;

int complain(const std::string& why) {
  fmt::print(stderr, "lmwarden bench: {}\n", why);
  return 2;
}

Result<std::vector<const bench::Arm*>> arms_of(const BenchOptions& options, const bench::Bed& bed) {
  auto names = options.arms;
  if (names.empty())
    names = bed.gateway ? std::vector<std::string>{"off", "on"} : std::vector<std::string>{"as-is"};
  std::vector<const bench::Arm*> arms;
  for (const auto& name : names) {
    arms.push_back(bench::find_arm(name));
    if (!arms.back())
      return failure(fmt::format("there is no arm '{}'; there are: {}", name, names_of(bench::arms())));
    if (!bed.gateway && !arms.back()->changes_nothing())
      return failure(fmt::format("arm '{}' needs LM Warden's admin side (--admin)", name));
  }
  return arms;
}

About provenance(const BenchOptions& options, const bench::Bed& bed,
                 const bench::ExperimentOptions& experiment) {
  const auto& workload = experiment.workload;
  About lines{
      {"version", "lmwarden " + std::string(version)},
      {"target", options.bed.url},
      {"engine", bed.engine_version.empty() ? "unknown" : "vLLM " + bed.engine_version},
      {"model", bed.model},
      {"workload", fmt::format("{}: {}", workload.name, workload.what)},
      {"sessions", lab::sessions_text(workload)},
      {"session", experiment.recorded ? "recorded" : lab::session_text(workload.shape)},
      {"step", fmt::format("{:g} s after {:g} s of warm-up", seconds(workload.step), seconds(workload.warm))},
      {"runs", fmt::format("{} of each arm, {}; each with prompts of its own", options.repeats,
                           options.order == bench::Order::abba ? "in ABBA order" : "shuffled")},
      {"seed", std::to_string(options.seed)},
      {"clock", options.time_scale == 1 ? "wall" : fmt::format("{:g} × the wall clock", options.time_scale)}};
  if (!options.workload.trace_file.empty()) lines.emplace_back("trace", options.workload.trace_file);
  if (!options.note.empty()) lines.emplace_back("note", options.note);
  return lines;
}

// The sessions of the trace, made to fit.
Result<void> prepare_trace(const BenchOptions& options, const bench::Bed& bed, workload::Trace& trace,
                           bench::ExperimentOptions& experiment) {
  experiment.block_size = trace.block_size;
  if (bed.max_model_len) {
    const auto most = static_cast<int>(static_cast<double>(*bed.max_model_len) * usable_context);
    const auto fitted = workload::fit_lengths(trace.sessions, trace.block_size, most);
    if (!fitted) return std::unexpected(fitted.error());
    if (*fitted < trace.block_size) {
      fmt::print(stderr, "Lengths are cut to {} of {} to fit into the model's {} tokens.\n", *fitted,
                 trace.block_size, *bed.max_model_len);
    }
    experiment.block_size = *fitted;
  }
  for (auto& session : trace.sessions) {
    for (auto& agent : session.agents) {
      for (auto& turn : agent.turns) turn.gap = from_seconds(seconds(turn.gap) * options.think_scale);
    }
  }
  experiment.recorded = &trace.sessions;
  return {};
}

std::string default_file() {
  return fmt::format("lmwarden-bench-{:%Y%m%d-%H%M%S}.json", fmt::gmtime(std::chrono::system_clock::now()));
}

int run_bench(BenchOptions options, const About& run) {
  const auto workload = options.workload.workload();
  if (!workload) return complain(workload.error().message);
  auto trace = options.workload.trace();
  if (!trace) return complain(trace.error().message);

  net::asio::io_context context(1);
  const auto bed = run_to_end(context, [&] { return bench::find_bed(options.bed); });
  if (!bed) return complain(bed.error().message);
  for (const auto& notice : bed->notices) fmt::print(stderr, "{}.\n", notice);
  const auto arms = arms_of(options, *bed);
  if (!arms) return complain(arms.error().message);

  if (options.output.files().empty()) options.output.json = default_file();
  bench::ExperimentOptions experiment{
      .workload = *workload,
      .tokens_per_word = bed->tokens_per_word,
      .target = bed->target,
      .dialect = {options.api, options.ids, bed->model, options.bed.api_key, options.ignore_eos},
      .arms = *arms,
      .repeats = options.repeats,
      .order = options.order,
      .seed = options.seed,
      .salt = std::to_string(std::chrono::system_clock::now().time_since_epoch().count()),
      .timeline_step = options.workload.timeline_step_of(*workload),
      .rest = from_seconds(options.rest),
      .engines = bed->engines};
  if (*trace) {
    if (const auto prepared = prepare_trace(options, *bed, **trace, experiment); !prepared)
      return complain(prepared.error().message);
  }
  auto about = provenance(options, *bed, experiment);
  about.insert(about.end(), run.begin(), run.end());
  return run_experiment(context, options, std::move(experiment), bed->gateway.get(), about);
}

}  // namespace

void add_bench(CLI::App& app, int& status) {
  auto options = std::make_shared<BenchOptions>();  // lives as long as the parser that fills it
  auto* command = app.add_subcommand("bench", "Measure a real box over HTTP, with each way of routing");
  add_bench_flags(*command, *options);
  add_compare(*command, status);
  command->callback([options, command, &status] {
    if (command->get_subcommands().empty()) status = run_bench(*options, run_lines(*command));
  });
}

}  // namespace lmw::app
