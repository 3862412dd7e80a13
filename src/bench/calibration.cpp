#include "bench/calibration.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "base/random.hpp"
#include "bench/exchange.hpp"
#include "report/turn.hpp"

namespace lmw::bench {

namespace {

constexpr auto connect_timeout = std::chrono::seconds(5);
constexpr std::string_view rank_header = "X-data-parallel-rank";
constexpr int short_prompt = 32;
constexpr int answer_tokens = 32;

// One turn with a prompt that the engine has never seen.
struct Measured {
  int prompt_tokens = 0;  // computed
  int answer_tokens = 0;
  double first = 0;               // s, to the first content
  std::optional<double> between;  // s, from one token of the answer to the next, in the mean
};

class Calibrator {
 public:
  Calibrator(net::asio::io_context& context, CalibrationOptions options, const EngineClock& clock,
             std::function<void(const std::string&)> said)
      : context_(context),
        options_(std::move(options)),
        clock_(clock),
        said_(std::move(said)),
        words_(block_size, options_.salt, options_.tokens_per_word) {}

  net::awaitable<Result<Calibration>> run();

 private:
  static constexpr int block_size = 16;

  net::awaitable<Result<Measured>> turn(std::size_t rank, int prompt, int answer);
  net::awaitable<Result<Measured>> median(std::size_t rank, int prompt, int answer);
  net::awaitable<Result<void>> prompts();
  net::awaitable<Result<void>> side_by_side();
  net::awaitable<Result<std::vector<double>>> compare_ranks(double network);
  void note_prompt(const Measured& measured);
  void note_answers(const Measured& measured, int at_once);

  net::asio::io_context& context_;
  CalibrationOptions options_;
  const EngineClock& clock_;
  std::function<void(const std::string&)> said_;
  workload::Words words_;
  std::uint64_t conversations_ = 0;
  std::vector<Observation> observations_;
};

net::awaitable<Result<Calibration>> Calibrator::run() {
  // The first turns of an engine pay for what it compiles and allocates late.
  for (std::size_t rank = 0; rank < options_.ranks; ++rank) {
    if (const auto warm = co_await turn(rank, short_prompt, answer_tokens); !warm)
      co_return std::unexpected(warm.error());
  }
  if (const auto done = co_await prompts(); !done) co_return std::unexpected(done.error());
  if (const auto done = co_await side_by_side(); !done) co_return std::unexpected(done.error());
  const auto fitted = fit(observations_);
  if (!fitted) co_return std::unexpected(fitted.error());
  const auto slow = co_await compare_ranks(fitted->network);
  if (!slow) co_return std::unexpected(slow.error());
  co_return Calibration{*fitted, *slow};
}

net::awaitable<Result<void>> Calibrator::prompts() {
  const int longest = options_.longest_prompt;
  for (const int length : {short_prompt, longest / 4, longest / 2, longest}) {
    const auto measured = co_await median(0, length, answer_tokens);
    if (!measured) co_return std::unexpected(measured.error());
    said_(fmt::format(
        "a prompt of {} tokens: first token after {:.3f} s{}", measured->prompt_tokens, measured->first,
        measured->between ? fmt::format(", then one each {:.1f} ms", *measured->between * 1e3) : ""));
    note_prompt(*measured);
    note_answers(*measured, 1);
  }
  co_return Result<void>();
}

net::awaitable<Result<void>> Calibrator::side_by_side() {
  struct Shared {
    std::vector<double> between;
    Measured any;
    std::optional<Error> failed;
    int left = 0;
  };
  Shared shared{.left = options_.side_by_side};
  net::asio::steady_timer all_done(context_, std::chrono::hours(1));
  for (int i = 0; i < options_.side_by_side; ++i) {
    net::asio::co_spawn(
        context_,
        [this, &shared, &all_done]() -> net::awaitable<void> {
          const auto measured = co_await turn(0, short_prompt, 2 * answer_tokens);
          if (!measured) shared.failed = measured.error();
          if (measured && measured->between) {
            shared.between.push_back(*measured->between);
            shared.any = *measured;
          }
          if (--shared.left == 0) all_done.cancel();
        },
        [](std::exception_ptr failed) {
          if (failed) std::rethrow_exception(failed);
        });
  }
  co_await all_done.async_wait(net::asio::as_tuple(net::asio::use_awaitable));
  if (shared.failed) co_return std::unexpected(*shared.failed);
  if (shared.between.empty())
    co_return failure("the engine's answers have one token: there is nothing to time");
  shared.any.between = report::quantile(shared.between, 0.5);
  said_(fmt::format("{} answers at once: a token each {:.1f} ms", options_.side_by_side,
                    *shared.any.between * 1e3));
  note_answers(shared.any, options_.side_by_side);
  co_return Result<void>();
}

net::awaitable<Result<std::vector<double>>> Calibrator::compare_ranks(double network) {
  std::vector<double> slow;
  for (std::size_t rank = 0; options_.ranks > 1 && rank < options_.ranks; ++rank) {
    const auto measured = co_await median(rank, options_.longest_prompt / 2, 1);
    if (!measured) co_return std::unexpected(measured.error());
    const double took = std::max(1e-6, measured->first - 2 * network);
    slow.push_back(slow.empty() ? took : took / slow.front());
    said_(fmt::format("rank {}: first token after {:.3f} s", rank, measured->first));
  }
  if (!slow.empty()) slow.front() = 1;
  co_return slow;
}

void Calibrator::note_prompt(const Measured& measured) {
  const int tokens = measured.prompt_tokens, step = options_.max_num_batched_tokens;
  observations_.push_back({.steps = (tokens + step - 1) / step,
                           .work = {.prefill_tokens = tokens, .attended = 0.5 * tokens * tokens},
                           .network = 2,
                           .seconds = measured.first});
}

void Calibrator::note_answers(const Measured& measured, int at_once) {
  if (!measured.between) return;
  const double context = measured.prompt_tokens + 0.5 * measured.answer_tokens;
  observations_.push_back(
      {.work = {.decoding = at_once, .kv_tokens_read = at_once * context}, .seconds = *measured.between});
}

net::awaitable<Result<Measured>> Calibrator::median(std::size_t rank, int prompt, int answer) {
  std::vector<double> first, between;
  Measured last;
  for (int i = 0; i < options_.repeats; ++i) {
    const auto measured = co_await turn(rank, prompt, answer);
    if (!measured) co_return measured;
    last = *measured;
    first.push_back(last.first);
    if (last.between) between.push_back(*last.between);
  }
  last.first = *report::quantile(first, 0.5);
  last.between = report::quantile(between, 0.5);
  co_return last;
}

net::awaitable<Result<Measured>> Calibrator::turn(std::size_t rank, int prompt, int answer) {
  const auto conversation = ++conversations_;
  workload::Transcript transcript(words_, 0);
  transcript.ask({.prompt_tokens = prompt,
                  .output_tokens = answer,
                  .content = {{mix64(conversation), (prompt + answer) / block_size}}});
  const auto body = request_body(options_.dialect, transcript, answer);
  auto head =
      request_head(options_.dialect, options_.engine, {mix64(conversation + words_.salt()), {}}, body.size());
  if (options_.ranks > 1) head.headers.add(std::string(rank_header), std::to_string(rank));
  const auto connection = co_await net::ClientConnection::connect(options_.engine, connect_timeout);
  if (!connection)
    co_return failure(fmt::format("{}: {}", options_.engine.url(), net::describe(connection.error())));
  const auto sent = clock_.now();
  const auto got = co_await ask(**connection, options_.dialect.endpoint, head, body, clock_);
  if (!got.failure.empty()) co_return failure(got.failure);
  if (!got.first || !got.usage.prompt)
    co_return failure("the engine's answer has no content, or no token counts");
  Measured measured{.prompt_tokens = static_cast<int>(*got.usage.prompt - got.usage.cached.value_or(0)),
                    .answer_tokens = static_cast<int>(got.usage.completion.value_or(0)),
                    .first = seconds(*got.first - sent)};
  if (measured.answer_tokens > 1)
    measured.between = seconds(got.last - *got.first) / (measured.answer_tokens - 1);
  co_return measured;
}

}  // namespace

net::awaitable<Result<Calibration>> calibrate(net::asio::io_context& context, CalibrationOptions options,
                                              const EngineClock& clock,
                                              std::function<void(const std::string&)> said) {
  Calibrator calibrator(context, std::move(options), clock, std::move(said));
  co_return co_await calibrator.run();
}

}  // namespace lmw::bench
