#include "bench/agents.hpp"

#include <charconv>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
namespace lmw::bench {

namespace {

using workload::TurnId;

// The replica model's HTTP face says where a request ran; real engines don't.
constexpr std::string_view replica_header = "X-Simulated-Replica";
constexpr auto connect_timeout = std::chrono::seconds(5);
constexpr auto longest_nap = std::chrono::hours(1);
constexpr auto pause_after_failure = std::chrono::milliseconds(200);

}  // namespace

Agents::Agents(net::asio::io_context& context, AgentsOptions options, workload::SessionSource& sessions,
               const EngineClock& clock)
    : context_(context),
      options_(std::move(options)),
      clock_(clock),
      words_(options_.block_size, options_.salt, options_.tokens_per_word),
      clients_(sessions, options_.seed),
      due_(context) {}

void Agents::begin(const workload::Load& load) {
  clients_.begin(load, clock_.now());
  if (running_ == 0) spawn(loop());
  due_.cancel();
}

void Agents::spawn(net::awaitable<void> task) {
  ++running_;
  net::asio::co_spawn(context_, std::move(task), [this](std::exception_ptr failed) {
    --running_;
    if (failed) std::rethrow_exception(failed);
  });
}

void Agents::stop() {
  stopping_ = true;
  due_.cancel();
  for (auto* connection : open_) connection->close();
}

net::awaitable<void> Agents::loop() {
  while (!stopping_) {
    const auto now = clock_.now();
    std::vector<TurnId> sent;
    if (clients_.next_due() && *clients_.next_due() <= now) clients_.advance(now, sent);
    for (const auto id : sent) spawn(turn(id));
    const auto next = clients_.next_due();
    due_.expires_after(next ? clock_.wall(*next - now) : longest_nap);
    co_await due_.async_wait(net::asio::as_tuple(net::asio::use_awaitable));
  }
}

net::awaitable<void> Agents::turn(TurnId id) {
  ++under_way_;
  const auto transcript = transcript_of(id);
  const bool good = co_await exchange(id, *transcript);
  const auto end = clock_.now();
  if (!good && !stopping_) {
    net::asio::steady_timer pause(context_, pause_after_failure);
    co_await pause.async_wait(net::asio::as_tuple(net::asio::use_awaitable));
  }
  --under_way_;
  if (stopping_) co_return;
  forget(id, !good);
  clients_.answered(id, !good, end);
  due_.cancel();
}

Sender Agents::sender(TurnId id) const {
  const auto salted = [this](std::uint64_t number) { return mix64(number + words_.salt()); };
  Sender sender{salted(clients_.conversation(id)), {}};
  if (const auto parent = clients_.parent(id)) sender.parent = salted(*parent);
  return sender;
}

std::shared_ptr<workload::Transcript> Agents::transcript_of(TurnId id) {
  auto& transcript = transcripts_[clients_.conversation(id)];
  if (!transcript)
    transcript = std::make_shared<workload::Transcript>(words_, clients_.agent(id).system_tokens);
  return transcript;
}

// After the last turn of a conversation, or one that failed and so has ended its session.
void Agents::forget(TurnId id, bool failed) {
  const auto conversation = clients_.conversation(id);
  if (failed) {
    const auto main = clients_.parent(id).value_or(conversation);
    const auto agents = clients_.agents(id);
    transcripts_.erase(transcripts_.lower_bound(main), transcripts_.lower_bound(main + agents));
  } else if (&clients_.content(id) == &clients_.agent(id).turns.back()) {
    transcripts_.erase(conversation);
  }
}

net::awaitable<bool> Agents::exchange(TurnId id, workload::Transcript& transcript) {
  const auto& content = clients_.content(id);
  transcript.ask(content);
  const auto body = request_body(options_.dialect, transcript, content.output_tokens);
  const auto head = request_head(options_.dialect, options_.target, sender(id), body.size());
  const auto connected = co_await net::ClientConnection::connect(options_.target, connect_timeout);
  if (!connected) {
    last_failure_ = net::describe(connected.error());
    co_return false;
  }
  auto& connection = **connected;
  if (stopping_) co_return false;
  open_.insert(&connection);
  const auto leave = [&](void*) { open_.erase(&connection); };
  const std::unique_ptr<void, decltype(leave)> left(&connection, leave);
  auto answer = co_await ask(connection, options_.dialect.endpoint, head, body, clock_,
                             [&] { clients_.turns()[id].first = clock_.now(); });
  if (!answer.failure.empty()) last_failure_ = answer.failure;
  note(id, answer);
  transcript.answered(std::move(answer.text));
  co_return answer.failure.empty();
}

void Agents::note(TurnId id, const Answer& answer) {
  auto& turns = clients_.turns();
  auto& turn = turns[id];
  const auto& usage = answer.usage;
  if (usage.prompt) turn.prompt_tokens = static_cast<int>(*usage.prompt);
  if (usage.prompt && usage.cached) turn.cached_tokens = static_cast<int>(*usage.cached);
  turn.output_tokens = static_cast<int>(usage.completion.value_or(0));

  const auto text = answer.headers.find(replica_header).value_or(std::string_view());
  int replica = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), replica).ec != std::errc()) return;
  turn.replica = replica;
  const auto before = clients_.before(id);
  if (before && turns[*before].replica) turn.stayed = turns[*before].replica == replica;
}

}  // namespace lmw::bench
