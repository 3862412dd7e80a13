#include "simulator/turn.hpp"

#include <algorithm>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/chrono.h>

#include "wire/http_message.hpp"

namespace lmw::simulator {

namespace {
using namespace asio::experimental::awaitable_operators;

constexpr std::string_view event_end = "\n\n";

asio::awaitable<void> sleep_until(EngineClock clock, Instant time) {
  const auto left = time - clock.now();
  if (left <= Duration::zero()) co_return;
  asio::steady_timer timer(co_await asio::this_coro::executor, clock.wall(left));
  co_await timer.async_wait(asio::use_awaitable);
}

// Sends events until the fault says that enough have passed.
class EventSender {
 public:
  EventSender(net::ServerConnection& connection, const TurnPlan& plan)
      : connection_(connection),
        cuts_(plan.fault == TurnFault::cut || plan.fault == TurnFault::cut_mid_event),
        mid_event_(plan.fault == TurnFault::cut_mid_event),
        left_(plan.after_events) {}

  // False when the connection is over.
  asio::awaitable<bool> send(std::string_view events) {
    if (events.empty()) co_return true;
    if (!cuts_) co_return co_await connection_.write(events);
    std::size_t end = 0;
    for (; left_ > 0 && end < events.size(); --left_) end = events.find(event_end, end) + event_end.size();
    const bool over = end < events.size();
    if (over && mid_event_) end += (events.find(event_end, end) - end) / 2;
    const bool written = end == 0 || co_await connection_.write(events.substr(0, end));
    if (over) connection_.close();
    co_return written && !over;
  }

  // A stream that is to be cut never ends well, however few events a late sender has made of it.
  asio::awaitable<void> end() {
    if (cuts_)
      connection_.close();
    else
      co_await connection_.end();
  }

 private:
  net::ServerConnection& connection_;
  bool cuts_;
  bool mid_event_;
  int left_;
};

CacheCounts counts_of(const TurnPlan& plan, int choice, int cached, const SimulatorOptions& options) {
  const int block = options.profile.block_size;
  const auto prompt = plan.generations[static_cast<std::size_t>(choice)].prompt.size();
  const int full = static_cast<int>(prompt) / block * block;
  return CacheCounts{cached, std::max(0, full - cached)};
}

// A real engine does not say where a request runs. This one does, so that a bench can tell whether turns
// stayed.
wire::ResponseHead answer_head(std::string_view content_type, const EngineTurn& turn) {
  auto head = response_head(200, content_type);
  head.headers.add("x-simulated-replica", std::to_string(turn.replica()));
  return head;
}

// The next event of the turn, when it is due on the wire, and what has come meanwhile, one event a choice: a
// sender that is late makes fewer, larger pieces.
asio::awaitable<std::vector<replica::Event>> due_events(EngineTurn& turn, EngineClock clock,
                                                        Duration network) {
  std::vector<replica::Event> due{co_await turn.next()};
  co_await sleep_until(clock, due.front().at + network);
  const auto sent_by_now = clock.now() - network;
  while (const auto more = turn.next_until(sent_by_now)) {
    const auto same = std::ranges::find(due, more->id, &replica::Event::id);
    if (same == due.end()) {
      due.push_back(*more);
    } else {
      *same = *more;
    }
  }
  co_return due;
}

asio::awaitable<void> stream_answer(net::ServerConnection& connection, const TurnPlan& plan,
                                    const SimulatorOptions& options, EngineTurn& turn, EngineClock clock) {
  const auto network = options.profile.network;
  co_await sleep_until(clock, clock.now() + network);
  EventSender sender(connection, plan);
  connection.begin(answer_head("text/event-stream; charset=utf-8", turn), std::nullopt);
  const auto begun = plan.answer->begin();
  if (!co_await connection.write("") || !co_await sender.send(begun)) co_return;
  std::optional<CacheCounts> counts;  // of the first that has a token, as the engine reports
  for (std::size_t left = plan.generations.size(); left > 0;) {
    std::string bytes;
    for (const auto& event : co_await due_events(turn, clock, network)) {
      const int choice = turn.choice(event);
      if (!counts) counts = counts_of(plan, choice, event.cached_tokens, options);
      bytes += plan.answer->events({event.generated, choice});
      if (event.kind == replica::Event::Kind::finished) --left;
    }
    if (left == 0) bytes += plan.answer->end(*counts);
    if (!co_await sender.send(bytes)) co_return;
  }
  co_await sender.end();
}

asio::awaitable<void> whole_answer(net::ServerConnection& connection, const TurnPlan& plan,
                                   const SimulatorOptions& options, EngineTurn& turn, EngineClock clock) {
  const int last = static_cast<int>(plan.generations.size()) - 1;
  CacheCounts counts;  // of the last prompt, as the engine reports
  for (std::size_t left = plan.generations.size(); left > 0;) {
    const auto event = co_await turn.next();
    if (event.kind != replica::Event::Kind::finished) continue;
    if (turn.choice(event) == last) counts = counts_of(plan, last, event.cached_tokens, options);
    if (--left == 0) co_await sleep_until(clock, event.at + options.profile.network);
  }
  co_await connection.respond(answer_head("application/json", turn), plan.answer->whole(counts));
}

// A stream with a bad rank has begun before the engine refuses it.
asio::awaitable<void> refuse_rank(net::ServerConnection& connection, const TurnPlan& plan, int replicas) {
  const auto error = rank_out_of_range(*plan.rank, replicas);
  if (!plan.stream) {
    co_await connection.respond(response_head(error.status, "application/json"),
                                error_body(error, plan.family));
    co_return;
  }
  connection.begin(response_head(200, "text/event-stream; charset=utf-8"), std::nullopt);
  if (co_await connection.write(error_stream(error, plan.family))) co_await connection.end();
}

asio::awaitable<void> ask_engine(net::ServerConnection& connection, const TurnPlan& plan,
                                 const SimulatorOptions& options, EngineDriver& driver) {
  const auto clock = driver.clock();
  int prompt_tokens = 0;
  for (const auto& generation : plan.generations) prompt_tokens += static_cast<int>(generation.prompt.size());
  co_await sleep_until(clock, clock.now() + options.profile.way_in(prompt_tokens));
  std::optional<int> rank;
  if (plan.rank) {
    if (*plan.rank < 0 || *plan.rank >= driver.replicas()) {
      co_await refuse_rank(connection, plan, driver.replicas());
      co_return;
    }
    rank = static_cast<int>(*plan.rank);
  }
  const auto turn = driver.submit(plan.generations, rank);
  if (plan.stream) {
    co_await stream_answer(connection, plan, options, *turn, clock);
  } else {
    co_await whole_answer(connection, plan, options, *turn, clock);
  }
}

// An exchange that throws is lost. Its connection is closed, since the wait for the client would go on
// otherwise.
asio::awaitable<void> guarded(net::ServerConnection& connection, asio::awaitable<void> work) {
  try {
    co_await std::move(work);
  } catch (const std::exception&) {
    connection.close();
  }
}

}  // namespace

asio::awaitable<void> run_turn(net::ServerConnection& connection, TurnPlan plan,
                               const SimulatorOptions& options, EngineDriver& driver) {
  co_await (guarded(connection, ask_engine(connection, plan, options, driver)) || connection.until_gone());
}

asio::awaitable<void> pause(net::ServerConnection& connection, EngineClock clock, Duration duration) {
  co_await (sleep_until(clock, clock.now() + duration) || connection.until_gone());
}

wire::ResponseHead response_head(int status, std::string_view content_type) {
  wire::ResponseHead head;
  head.status = status;
  head.reason = wire::reason_phrase(status);
  head.headers.add("date", fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(std::time(nullptr))));
  head.headers.add("server", "uvicorn");
  if (!content_type.empty()) head.headers.add("content-type", content_type);
  return head;
}

}  // namespace lmw::simulator
