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
constexpr int warm_rounds = 3;

// A turn to measure. The same conversation again has a prompt that the replica has read before.
struct Ask {
  std::size_t rank = 0;
  std::uint64_t conversation = 0;
  int prompt = 0;  // tokens, and those of the chat template
  int answer = 0;
};

struct Measured {
  int prompt_tokens = 0;
  int cached_tokens = 0;  // of these
  int answer_tokens = 0;
  double first = 0;               // s, to the first content
  std::optional<double> between;  // s, from one token of the answer to the next, in the mean
};

using AllMeasured = std::vector<Measured>;

Measured median(const AllMeasured& all) {
  std::vector<double> first, between;
  for (const auto& one : all) {
    first.push_back(one.first);
    if (one.between) between.push_back(*one.between);
  }
  Measured middle = all.back();
  middle.first = *report::quantile(first, 0.5);
  middle.between = report::quantile(between, 0.5);
  return middle;
}

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

  // What each rank took for new prompts of one length.
  net::awaitable<Result<std::vector<AllMeasured>>> prompts(int length);
  net::awaitable<Result<void>> side_by_side();
  std::vector<Ask> on_all_ranks(int prompt, int answer, int at_once = 1);
  net::awaitable<Result<AllMeasured>> ask_at_once(std::vector<Ask> asks);
  net::awaitable<Result<Measured>> ask_one(Ask turn);
  void note_prompt(const Measured& measured);
  void note_answers(const Measured& measured, int at_once);

  net::asio::io_context& context_;
  CalibrationOptions options_;
  const EngineClock& clock_;
  std::function<void(const std::string&)> said_;
  workload::Words words_;
  std::uint64_t conversations_ = 0;
  std::vector<Observation> observations_;  // of the first rank
  bool cached_told_ = false;
};

// Of each rank against the first, what the engine's steps took.
std::vector<double> slowness(const std::vector<AllMeasured>& ranks, const Fit& fit) {
  std::vector<double> took;
  for (const auto& rank : ranks) {
    const auto measured = median(rank);
    took.push_back(std::max(1e-6, measured.first - 2 * fit.network - fit.tokenize * measured.prompt_tokens));
  }
  if (took.size() == 1) return {};
  const double reference = took.front();
  for (auto& time : took) time /= reference;
  return took;
}

net::awaitable<Result<Calibration>> Calibrator::run() {
  const int longest = options_.longest_prompt;
  // The first turns of an engine pay for what it compiles and allocates late; seconds, on a CPU.
  for (int i = 0; i < warm_rounds; ++i) {
    if (const auto warm = co_await ask_at_once(on_all_ranks(longest, answer_tokens)); !warm)
      co_return std::unexpected(warm.error());
  }
  std::vector<AllMeasured> longest_prompts;
  for (const int length : {longest, longest / 2, longest / 4, short_prompt}) {
    auto measured = co_await prompts(length);
    if (!measured) co_return std::unexpected(measured.error());
    if (length == longest) longest_prompts = std::move(*measured);
  }
  if (const auto done = co_await side_by_side(); !done) co_return std::unexpected(done.error());
  if (!cached_told_) {
    for (auto& observation : observations_) observation.tokenized = 0;
  }
  const auto fitted = fit(observations_);
  if (!fitted) co_return std::unexpected(fitted.error());
  co_return Calibration{*fitted, cached_told_, slowness(longest_prompts, *fitted)};
}

net::awaitable<Result<std::vector<AllMeasured>>> Calibrator::prompts(int length) {
  std::vector<AllMeasured> all_new(options_.ranks), all_again(options_.ranks);
  for (int i = 0; i < options_.repeats; ++i) {
    const auto asks = on_all_ranks(length, answer_tokens);
    for (auto* to : {&all_new, &all_again}) {
      const auto measured = co_await ask_at_once(asks);
      if (!measured) co_return std::unexpected(measured.error());
      for (std::size_t rank = 0; rank < measured->size(); ++rank) (*to)[rank].push_back((*measured)[rank]);
    }
  }
  const auto unread = median(all_new.front()), cached = median(all_again.front());
  note_prompt(unread);
  note_answers(unread, 1);
  // Without what was cached there is no telling what the second time was spent on.
  if (cached.cached_tokens > 0) {
    cached_told_ = true;
    note_prompt(cached);
  }
  for (std::size_t rank = 0; rank < options_.ranks; ++rank) {
    const auto first = median(all_new[rank]), again = median(all_again[rank]);
    said_(fmt::format("{}a prompt of {} tokens: first token after {:.3f} s, {}{}",
                      options_.ranks > 1 ? fmt::format("rank {}, ", rank) : "", first.prompt_tokens,
                      first.first,
                      again.cached_tokens > 0
                          ? fmt::format("{:.3f} s with {} of them cached", again.first, again.cached_tokens)
                          : "the second time nothing is told to be cached",
                      first.between ? fmt::format(", then one each {:.1f} ms", *first.between * 1e3) : ""));
  }
  co_return all_new;
}

net::awaitable<Result<void>> Calibrator::side_by_side() {
  auto measured = co_await ask_at_once(on_all_ranks(short_prompt, 2 * answer_tokens, options_.side_by_side));
  if (!measured) co_return std::unexpected(measured.error());
  measured->resize(static_cast<std::size_t>(options_.side_by_side));  // those of the first rank
  const auto middle = median(*measured);
  if (!middle.between) co_return failure("the engine's answers have one token: there is nothing to time");
  said_(fmt::format("{} answers at once: a token each {:.1f} ms", options_.side_by_side,
                    *middle.between * 1e3));
  note_answers(middle, options_.side_by_side);
  co_return Result<void>();
}

void Calibrator::note_prompt(const Measured& measured) {
  const int all = measured.prompt_tokens, computed = all - measured.cached_tokens;
  const int step = options_.max_num_batched_tokens;
  observations_.push_back(
      {.steps = (computed + step - 1) / step,
       .work = {.prefill_tokens = computed,
                .attended = 0.5 * computed * static_cast<double>(all + measured.cached_tokens)},
       .tokenized = all,
       .network = 2,
       .seconds = measured.first});
}

void Calibrator::note_answers(const Measured& measured, int at_once) {
  if (!measured.between) return;
  const double context = measured.prompt_tokens + 0.5 * measured.answer_tokens;
  observations_.push_back(
      {.work = {.decoding = at_once, .kv_tokens_read = at_once * context}, .seconds = *measured.between});
}

// New conversations: those of the first rank, those of the second, …
std::vector<Ask> Calibrator::on_all_ranks(int prompt, int answer, int at_once) {
  std::vector<Ask> asks;
  for (std::size_t rank = 0; rank < options_.ranks; ++rank) {
    for (int i = 0; i < at_once; ++i) asks.push_back({rank, ++conversations_, prompt, answer});
  }
  return asks;
}

// In the order of `asks`.
net::awaitable<Result<AllMeasured>> Calibrator::ask_at_once(std::vector<Ask> asks) {
  AllMeasured all(asks.size());
  std::optional<Error> failed;
  std::size_t left = asks.size();
  net::asio::steady_timer all_done(context_, std::chrono::hours(1));
  for (std::size_t i = 0; i < asks.size(); ++i) {
    net::asio::co_spawn(
        context_,
        [&, i]() -> net::awaitable<void> {
          const auto measured = co_await ask_one(asks[i]);
          if (measured) {
            all[i] = *measured;
          } else {
            failed = measured.error();
          }
          if (--left == 0) all_done.cancel();
        },
        [](std::exception_ptr thrown) {
          if (thrown) std::rethrow_exception(thrown);
        });
  }
  co_await all_done.async_wait(net::asio::as_tuple(net::asio::use_awaitable));
  if (failed) co_return std::unexpected(*failed);
  co_return all;
}

net::awaitable<Result<Measured>> Calibrator::ask_one(Ask turn) {
  workload::Transcript transcript(words_, 0);
  transcript.ask({.prompt_tokens = turn.prompt,
                  .output_tokens = turn.answer,
                  .content = {{mix64(turn.conversation), (turn.prompt + turn.answer) / block_size}}});
  const auto body = request_body(options_.dialect, transcript, turn.answer);
  auto head = request_head(options_.dialect, options_.engine, {mix64(turn.conversation + words_.salt()), {}},
                           body.size());
  if (options_.ranks > 1) head.headers.add(std::string(rank_header), std::to_string(turn.rank));
  const auto connection = co_await net::ClientConnection::connect(options_.engine, connect_timeout);
  if (!connection)
    co_return failure(fmt::format("{}: {}", options_.engine.url(), net::describe(connection.error())));
  const auto sent = clock_.now();
  const auto got = co_await ask(**connection, options_.dialect.endpoint, head, body, clock_);
  if (!got.failure.empty()) co_return failure(got.failure);
  if (!got.first || !got.usage.prompt)
    co_return failure("the engine's answer has no content, or no token counts");
  Measured measured{.prompt_tokens = static_cast<int>(*got.usage.prompt),
                    .cached_tokens = static_cast<int>(got.usage.cached.value_or(0)),
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
