#include "app/calibrate.hpp"

#include <chrono>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/profile_file.hpp"
#include "app/run_to_end.hpp"
#include "base/utc.hpp"
#include "base/version.hpp"
#include "bench/calibration.hpp"
#include "bench/tokenizer.hpp"
#include "engine/discovery.hpp"
#include "report/file.hpp"

namespace lmw::app {

namespace {

constexpr int most_prompt = 16'000;  // tokens: longer ones tell little more, and take long

struct CalibrateOptions {
  std::string url = "http://127.0.0.1:8000";
  std::string api_key, model, name;
  std::string save = "lmwarden-profile.json";
  std::optional<std::int64_t> kv_tokens;
  std::optional<int> max_num_seqs, longest_prompt;
  int max_num_batched_tokens = 2048;
  int repeats = 3;
  double time_scale = 1;
};

void add_options(CLI::App& command, CalibrateOptions& options) {
  command.add_option("--engine", options.url, "the engine itself, with nothing else to do")
      ->capture_default_str();
  command.add_option("--api-key", options.api_key, "the engine's key (vllm --api-key)");
  command.add_option("--model", options.model, "default: the first that is served");
  command
      .add_option("--save", options.save,
                  "the profile, for --profile of lab, plan and simulate; - is standard output")
      ->capture_default_str();
  command.add_option("--name", options.name, "of the profile (default: the model's)");
  command
      .add_option("--kv-tokens", options.kv_tokens, "KV cache of a replica (default: what the engine tells)")
      ->check(CLI::Range(std::int64_t{1024}, std::int64_t{1} << 40));
  command.add_option("--max-num-seqs", options.max_num_seqs, "the engine's (default: what it tells, or 256)")
      ->check(CLI::Range(1, 100'000));
  command
      .add_option("--max-num-batched-tokens", options.max_num_batched_tokens,
                  "the engine's; it does not tell")
      ->check(CLI::Range(16, 10'000'000))
      ->capture_default_str();
  command
      .add_option("--longest-prompt", options.longest_prompt,
                  "tokens (default: half of the KV cache, at most 16000)")
      ->check(CLI::Range(256, 10'000'000));
  command.add_option("--repeats", options.repeats, "of each measurement; the median counts")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command.add_option("--time-scale", options.time_scale, "engine seconds a second, of a simulated engine")
      ->check(CLI::Range(0.01, 1000.0))
      ->capture_default_str();
}

int complain(const std::string& why) {
  fmt::print(stderr, "lmwarden calibrate: {}\n", why);
  return 1;
}

// What of the profile is not measured.
Result<replica::Profile> known_of(const CalibrateOptions& options, const engine::Facts& facts,
                                  const engine::ServedModel& served) {
  const auto& rank = facts.ranks.front();
  const auto kv_tokens = options.kv_tokens ? options.kv_tokens : rank.kv_capacity_tokens;
  if (!kv_tokens) return failure("the engine does not tell how large its KV cache is: --kv-tokens");
  return replica::Profile{.name = options.name.empty() ? served.id : options.name,
                          .kv_tokens = *kv_tokens,
                          .block_size = rank.block_size.value_or(16),
                          .max_num_seqs = options.max_num_seqs.value_or(facts.max_num_seqs.value_or(256)),
                          .max_num_batched_tokens = options.max_num_batched_tokens,
                          .max_model_len = static_cast<int>(served.max_model_len.value_or(*kv_tokens))};
}

int longest_prompt(const CalibrateOptions& options, const replica::Profile& profile) {
  const auto fits = std::min<std::int64_t>(profile.kv_tokens / 2, profile.max_model_len * 4 / 5);
  return options.longest_prompt.value_or(static_cast<int>(std::min<std::int64_t>(fits, most_prompt)));
}

void print(const replica::Profile& profile, const bench::Calibration& measured, const std::string& file) {
  const auto& cost = profile.cost;
  fmt::print(
      "\nA step takes {:.2f} ms, {:.1f} µs a prompt token (twice that at {}), {:.2f} ms a sequence that "
      "decodes,\n"
      "{:.1f} ns a KV token it reads; {:.1f} ms each way over the network,\n"
      "{} of template and tokenizer{}.\n"
      "The measurements differ from this by at most {:.0f} %.\n",
      cost.base * 1e3, cost.prefill * 1e6,
      cost.attn > 0 ? fmt::format("a context of {:.0f} tokens", cost.prefill / cost.attn) : "no length",
      cost.seq * 1e3, cost.kvread * 1e9, seconds(profile.network) * 1e3,
      measured.tokenizer_measured
          ? fmt::format("{:.1f} µs a prompt token", profile.tokenize * 1e6)
          : "nothing is known (the engine tells no cached tokens: --enable-prompt-tokens-details)",
      profile.slow.empty() ? ""
                           : fmt::format("; replicas are slower by {:.2f}", fmt::join(profile.slow, ", ")),
      measured.fit.worst_error * 100);
  if (file != "-") fmt::print("\nWritten: {}; use it as `lmwarden lab published --profile {}`\n", file, file);
}

net::awaitable<Result<void>> calibrate(net::asio::io_context& context, const CalibrateOptions& options) {
  const auto origin = parse_origin(options.url);
  if (!origin) co_return std::unexpected(origin.error());
  const auto facts = co_await engine::discover({*origin, options.api_key});
  if (!facts) co_return std::unexpected(facts.error());
  const auto served = engine::choose_model(*facts, options.url, options.model);
  if (!served) co_return std::unexpected(served.error());
  auto profile = known_of(options, *facts, *served);
  if (!profile) co_return std::unexpected(profile.error());

  const auto& model = served->id;
  const auto tokens_per_word = co_await bench::tokens_per_word({*origin, options.api_key}, model);
  const EngineClock clock(options.time_scale);
  const auto measured = co_await bench::calibrate(
      context,
      {.engine = *origin,
       .dialect = {.endpoint = wire::Endpoint::chat_completions,
                   .ids = bench::Ids::none,
                   .model = model,
                   .api_key = options.api_key},
       .salt = std::to_string(std::chrono::system_clock::now().time_since_epoch().count()),
       .tokens_per_word = tokens_per_word.value_or(1),
       .ranks = facts->ranks.size(),
       .longest_prompt = longest_prompt(options, *profile),
       .max_num_batched_tokens = options.max_num_batched_tokens,
       .side_by_side = std::min(8, profile->max_num_seqs),
       .repeats = options.repeats},
      clock, [](const std::string& line) { fmt::print(stderr, "{}\n", line); });
  if (!measured) co_return std::unexpected(measured.error());
  profile->cost = measured->fit.cost;
  profile->slow = measured->slow;
  profile->network = from_seconds(measured->fit.network);
  profile->tokenize = measured->fit.tokenize;

  const auto written = report::write_file(
      options.save, profile_json(*profile, {{"engine", options.url},
                                            {"version", facts->version},
                                            {"model", model},
                                            {"date", utc(unix_now())},
                                            {"worst_error", fmt::format("{:.3f}", measured->fit.worst_error)},
                                            {"by", "lmwarden " + std::string(version)}}));
  if (!written) co_return std::unexpected(written.error());
  if (options.save != "-") print(*profile, *measured, options.save);
  co_return Result<void>();
}

int run_calibrate(const CalibrateOptions& options) {
  net::asio::io_context context(1);
  const auto result = run_to_end(context, [&] { return calibrate(context, options); });
  return result ? 0 : complain(result.error().message);
}

}  // namespace

void add_calibrate(CLI::App& app, int& status) {
  auto options = std::make_shared<CalibrateOptions>();  // lives as long as the parser that fills it
  auto* command = app.add_subcommand("calibrate", "Measure an engine, for the lab");
  add_options(*command, *options);
  command->callback([options, &status] { status = run_calibrate(*options); });
}

}  // namespace lmw::app
