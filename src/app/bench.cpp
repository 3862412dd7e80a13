#include "app/bench.hpp"

#include <chrono>
#include <memory>

#include <CLI/CLI.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/compare.hpp"
#include "app/progress_line.hpp"
#include "app/report_output.hpp"
#include "app/workload_flags.hpp"
#include "base/version.hpp"
#include "bench/bed.hpp"
#include "bench/experiment.hpp"
#include "lab/provenance.hpp"
#include "report/tables.hpp"

namespace lmw::app {

namespace {

// Of a model's context, so that what the chat template and a real tokenizer add to a trace still fits.
constexpr double usable_context = 0.9;
constexpr int interrupted_status = 130;  // as of a program that SIGINT ended

struct BenchOptions {
  WorkloadFlags workload;
  bench::BedOptions bed{.url = "http://127.0.0.1:8080", .admin = "http://127.0.0.1:8081"};
  wire::Endpoint api = wire::Endpoint::messages;
  bench::Ids ids = bench::Ids::session;
  bool ignore_eos = true;
  std::vector<std::string> arms;
  int repeats = 1;
  bench::Order order = bench::Order::abba;
  double rest = 300;
  std::uint64_t seed = 1;
  double think_scale = 1;
  double time_scale = 1;
  std::string note;
  ReportOutput output;
};

void add_target(CLI::App& command, BenchOptions& options) {
  command.add_option("--url", options.bed.url, "where agents send their turns")->capture_default_str();
  command
      .add_option("--admin", options.bed.admin,
                  "LM Warden's admin side, which switches between the arms; \"\" where there is no LM Warden")
      ->capture_default_str();
  command.add_option("--admin-token", options.bed.admin_token)->envname("LMWARDEN_ADMIN_TOKEN");
  command.add_option("--api-key", options.bed.api_key, "sent as a bearer token");
  command.add_option("--metrics", options.bed.metrics,
                     "engines whose counters are read (default: LM Warden's, or what is at --url)");
  command.add_option("--model", options.bed.model, "default: the first that is served");
  command.add_option("--api", options.api, "messages, chat or responses")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, wire::Endpoint>{{"messages", wire::Endpoint::messages},
                                                {"chat", wire::Endpoint::chat_completions},
                                                {"responses", wire::Endpoint::responses}}))
      ->default_str("messages");
  command
      .add_option("--ids", options.ids,
                  "how agents name their conversation: session (X-Session-Id), claude-code, none")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, bench::Ids>{{"session", bench::Ids::session},
                                                                    {"claude-code", bench::Ids::claude_code},
                                                                    {"none", bench::Ids::none}}))
      ->default_str("session");
  command.add_flag("!--no-ignore-eos", options.ignore_eos, "let the model end its answers where it likes");
}

void add_options(CLI::App& command, BenchOptions& options) {
  add_workload_flags(command, options.workload);
  add_target(command, options);
  command
      .add_option("--arms", options.arms,
                  names_of(bench::arms()) + " (default: off,on; as-is where there is no LM Warden)")
      ->delimiter(',');
  command.add_option("--repeats", options.repeats, "runs of each arm; the report has their means and spread")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--order", options.order, "of the runs: abba or shuffle")
      ->transform(CLI::CheckedTransformer(std::map<std::string, bench::Order>{
          {"abba", bench::Order::abba}, {"shuffle", bench::Order::shuffle}}))
      ->default_str("abba");
  command
      .add_option("--rest", options.rest,
                  "seconds between two runs; 300 is how long LM Warden's affinity rule counts a conversation "
                  "as recent")
      ->check(CLI::Range(0.0, 86'400.0))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "of the sessions' sizes")->capture_default_str();
  command.add_option("--think-scale", options.think_scale, "the pauses of a trace times this; 0: none")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  command
      .add_option("--time-scale", options.time_scale, "engine seconds a second, before a simulated engine")
      ->check(CLI::Range(0.01, 1000.0))
      ->capture_default_str();
  command.add_option("--note", options.note, "for the report: the GPUs, the engine's flags, …");
  add_report_output(command, options.output);
}

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

std::vector<std::pair<std::string, std::string>> provenance(const BenchOptions& options,
                                                            const bench::Bed& bed,
                                                            const bench::ExperimentOptions& experiment,
                                                            const std::string& flags) {
  const auto& workload = experiment.workload;
  std::vector<std::pair<std::string, std::string>> lines{
      {"version", "lmwarden " + std::string(version)},
      {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()))},
      {"flags", flags},
      {"target", options.bed.url},
      {"engine", bed.engine_version.empty() ? "unknown" : "vLLM " + bed.engine_version},
      {"model", bed.model},
      {"workload", fmt::format("{}: {}", workload.name, workload.what)},
      {"sessions", lab::sessions_text(workload)},
      {"step", fmt::format("{:g} s after {:g} s of warm-up", seconds(workload.step), seconds(workload.warm))},
      {"runs", fmt::format("{} of each arm, {}; each with prompts of its own", options.repeats,
                           options.order == bench::Order::abba ? "in ABBA order" : "shuffled")},
      {"seed", std::to_string(options.seed)},
      {"clock", options.time_scale == 1 ? "wall" : fmt::format("{:g} × the wall clock", options.time_scale)}};
  if (!options.workload.trace_file.empty()) lines.emplace_back("trace", options.workload.trace_file);
  if (!options.note.empty()) lines.emplace_back("note", options.note);
  return lines;
}

// Runs it, with a progress line, and writes the report again after each step.
class Runner {
 public:
  Runner(const BenchOptions& options, std::vector<std::pair<std::string, std::string>> about)
      : options_(options), about_(std::move(about)) {}

  int run(net::asio::io_context& context, bench::ExperimentOptions plan, bench::Gateway* gateway,
          const EngineClock& clock) {
    bench::Experiment experiment(context, std::move(plan), gateway, clock);
    experiment_ = &experiment;
    net::asio::signal_set signals(context, SIGINT, SIGTERM);
    signals.async_wait([&](boost::system::error_code error, int) {
      if (error) return;
      interrupted_ = true;
      experiment.stop();
    });
    Result<void> result;
    net::asio::co_spawn(
        context,
        [&]() -> net::awaitable<void> {
          result = co_await experiment.run([&](const bench::Progress& progress) { show(progress); },
                                           [&] { write(); });
          signals.cancel();
        },
        [](std::exception_ptr failed) {
          if (failed) std::rethrow_exception(failed);
        });
    context.restart();
    context.run();
    line_.end();
    return finish(result);
  }

 private:
  report::Report report() const {
    auto report = experiment_->report();
    report.title = "Bench: " + options_.workload.name;
    report.provenance = about_;
    return report;
  }

  void show(const bench::Progress& progress) {
    line_.show(fmt::format("{} {}", progress.arm.name, progress.step.sessions), progress.share, progress.step,
               seconds(progress.left) / options_.time_scale);
  }

  void write() {
    line_.end();
    if (!takes_stdout(options_.output)) written_ = write_report(options_.output, report()) && written_;
  }

  int finish(const Result<void>& result) {
    const auto finished = report();
    if (takes_stdout(options_.output)) {
      written_ = write_report(options_.output, finished);
    } else {
      fmt::print("{}\n", report::to_table(finished));
      for (const auto& arm : finished.arms) fmt::print("{:<15} {}\n", arm.name, arm.what);
      if (written_ && !finished.arms.empty()) fmt::print("\nWritten: {}\n", files());
    }
    warn_of_empty_steps(finished);
    if (!experiment_->last_failure().empty())
      fmt::print(stderr, "Turns have failed; the last one: {}\n", experiment_->last_failure());
    if (interrupted_) fmt::print(stderr, "Interrupted: these are the steps that were finished.\n");
    if (!result) return complain(result.error().message);
    if (interrupted_) return interrupted_status;
    return written_ ? 0 : 1;
  }

  std::string files() const {
    const auto& output = options_.output;
    std::vector<std::string> files;
    for (const auto& file : {output.json, output.csv, output.markdown, output.html}) {
      if (!file.empty()) files.push_back(file);
    }
    return fmt::format("{}", fmt::join(files, ", "));
  }

  const BenchOptions& options_;
  std::vector<std::pair<std::string, std::string>> about_;
  bench::Experiment* experiment_ = nullptr;
  ProgressLine line_;
  bool interrupted_ = false;
  bool written_ = true;
};

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

// As given, without secrets.
std::string flags_of(const CLI::App& command) {
  std::string text;
  for (const auto* option : command.get_options()) {
    const auto name = option->get_name();
    if (option->count() == 0 || name == "--api-key" || name == "--admin-token") continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", name, fmt::join(option->results(), ","));
  }
  return text;
}

std::string default_file() {
  return fmt::format("lmwarden-bench-{:%Y%m%d-%H%M%S}.json", fmt::gmtime(std::chrono::system_clock::now()));
}

int run_bench(BenchOptions options, const std::string& flags) {
  const auto workload = options.workload.workload();
  if (!workload) return complain(workload.error().message);
  auto trace = options.workload.trace();
  if (!trace) return complain(trace.error().message);

  net::asio::io_context context(1);
  Result<bench::Bed> bed = failure("");
  net::asio::co_spawn(
      context, [&]() -> net::awaitable<void> { bed = co_await bench::find_bed(options.bed); },
      [](std::exception_ptr failed) {
        if (failed) std::rethrow_exception(failed);
      });
  context.run();
  if (!bed) return complain(bed.error().message);
  for (const auto& notice : bed->notices) fmt::print(stderr, "{}.\n", notice);
  const auto arms = arms_of(options, *bed);
  if (!arms) return complain(arms.error().message);

  auto& output = options.output;
  if (output.json.empty() && output.csv.empty() && output.markdown.empty() && output.html.empty())
    output.json = default_file();
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
  const EngineClock clock(options.time_scale);
  Runner runner(options, provenance(options, *bed, experiment, flags));
  return runner.run(context, std::move(experiment), bed->gateway.get(), clock);
}

}  // namespace

void add_bench(CLI::App& app, int& status) {
  auto options = std::make_shared<BenchOptions>();  // lives as long as the parser that fills it
  auto* command = app.add_subcommand("bench", "Measure a real box over HTTP, with each way of routing");
  add_options(*command, *options);
  add_compare(*command, status);
  command->callback([options, command, &status] {
    if (command->get_subcommands().empty()) status = run_bench(*options, flags_of(*command));
  });
}

}  // namespace lmw::app
