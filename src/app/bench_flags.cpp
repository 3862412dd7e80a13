#include "app/bench_flags.hpp"

#include <map>

#include <CLI/CLI.hpp>

namespace lmw::app {

namespace {

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

}  // namespace

void add_bench_flags(CLI::App& command, BenchOptions& options) {
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

}  // namespace lmw::app
