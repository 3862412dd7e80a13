#include "engine/monitor.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

namespace lmw::engine {

namespace asio = net::asio;
using net::awaitable;

namespace {

constexpr auto tuple_awaitable = asio::as_tuple(asio::use_awaitable);

// Tells one run of an engine from the next by what never goes back within one.
class RunMark {
 public:
  bool contradicts(const MetricsPage& page) const {
    if (start_time_ && page.process_start_time && *start_time_ != *page.process_start_time) return true;
    return std::ranges::any_of(page.ranks, [this](const RankMetrics& rank) {
      const auto last = counters_.find(rank.label);
      return last != counters_.end() &&
             (rank.prefix_queries < last->second.queries || rank.prefix_hits < last->second.hits);
    });
  }
  // Whether a page of another run would show.
  bool can_tell() const {
    return start_time_ ||
           std::ranges::any_of(counters_, [](const auto& last) { return last.second.queries > 0; });
  }
  void remember(const MetricsPage& page) {
    if (page.process_start_time) start_time_ = page.process_start_time;
    for (const auto& rank : page.ranks) counters_[rank.label] = {rank.prefix_queries, rank.prefix_hits};
  }

 private:
  struct Counters {
    std::int64_t queries = 0;
    std::int64_t hits = 0;
  };
  std::optional<double> start_time_;
  std::map<std::string, Counters> counters_;
};

}  // namespace

struct Monitor::State {
  State(asio::io_context& c, Access a, MonitorOptions o, const EngineClock& k, MonitorEvents e)
      : context(c), access(std::move(a)), options(o), clock(k), events(std::move(e)), pause(c) {}

  asio::io_context& context;
  Access access;
  MonitorOptions options;
  EngineClock clock;
  MonitorEvents events;

  asio::steady_timer pause;  // between two rounds
  asio::cancellation_signal cancel;
  bool started = false;
  bool stopped = false;

  bool up = false;
  bool woken = false;        // in the middle of a round: the next one follows at once
  bool was_refused = false;  // while down: the process behind the port was gone
  bool outdated = false;     // the facts may be those of an earlier run
  std::optional<Facts> facts;
  std::string last_error;
  std::optional<Instant> scraped;
  RunMark run;

  static awaitable<void> loop(std::shared_ptr<State> self);
  static awaitable<bool> check(std::shared_ptr<State> self) { co_return co_await self->judge(); }

  template <class Event, class... Args>
  void tell(const Event& event, const Args&... args) const {
    if (event && !stopped) event(args...);
  }
  void go_down(const std::string& why);
  void wake() {
    woken = true;
    pause.cancel();
  }
  bool knows(const std::string& label) const {
    return std::ranges::find(facts->ranks, label, &RankFacts::label) != facts->ranks.end();
  }

  // Each may find that the monitor was stopped, or the engine went down, while it waited.
  awaitable<Result<void>> look_at_health();
  awaitable<bool> judge();
  awaitable<void> find();
  awaitable<void> refresh();
  awaitable<void> scrape();
  awaitable<void> heed_health();
  awaitable<void> take(MetricsPage page, Instant now);
};

void Monitor::State::go_down(const std::string& why) {
  if (!up || stopped) return;
  up = false;
  last_error = why;
  tell(events.down, why);
}

awaitable<Result<void>> Monitor::State::look_at_health() {
  Access quick = access;
  quick.timeout = options.health_timeout;
  const auto answer = co_await get(std::move(quick), "/health");
  if (!answer) {
    was_refused |= answer.error().refused;
    co_return std::unexpected(answer.error());
  }
  const int status = answer->head.status;
  // An engine without such a route is alive all the same when it says so.
  if (status == 200 || status == 404) co_return Result<void>();
  co_return failure(fmt::format("GET {}/health: answered {}", access.origin.url(), status));
}

awaitable<bool> Monitor::State::judge() {
  const auto healthy = co_await look_at_health();
  // A turn whose client leaves takes its question back: that it was not answered says nothing of the engine.
  const auto state = co_await asio::this_coro::cancellation_state;
  if (state.cancelled() != asio::cancellation_type::none) co_return up;
  if (!healthy)
    go_down(healthy.error().message);
  else if (!up)
    wake();
  co_return healthy.has_value();
}

awaitable<void> Monitor::State::find() {
  // A server whose engine has died may go on listing its models.
  const auto healthy = co_await look_at_health();
  auto found = healthy ? co_await discover(access) : std::unexpected(healthy.error());
  if (stopped) co_return;
  if (!found) {
    last_error = found.error().message;
    co_return;
  }
  const bool again = std::exchange(facts, std::move(*found)).has_value();
  up = true;
  outdated = false;
  last_error.clear();
  // Where its port had not refused, the first page tells whether it is the run of before, if anything there
  // can.
  if (again && (was_refused || !run.can_tell())) {
    run = {};
    tell(events.new_run);
  }
  was_refused = false;
  tell(events.up, *facts);
}

// Discovery of an engine that is up. What fails here is tried again after the next scrape.
awaitable<void> Monitor::State::refresh() {
  auto found = co_await discover(access);
  // Facts without ranks would be a step back: we have just seen the ranks in /metrics.
  if (stopped || !up || !found || !found->has_metrics) co_return;
  facts = std::move(*found);
  outdated = false;
  tell(events.up, *facts);
}

awaitable<void> Monitor::State::scrape() {
  const auto answer = co_await get(access, "/metrics");
  const auto now = clock.now();
  if (stopped || !up) co_return;
  if (!answer) {
    last_error = answer.error().message;
    co_await judge();
    co_return;
  }
  const int status = answer->head.status;
  auto page = status == 200 ? read_metrics_page(answer->body) : failure(fmt::format("answered {}", status));
  if (!page) {
    last_error = fmt::format("GET {}/metrics: {}", access.origin.url(), page.error().message);
    co_return;
  }
  last_error.clear();
  scraped = now;
  co_await take(std::move(*page), now);
  if (up && !stopped) co_await heed_health();
}

// A server may go on serving its metrics when its engine has died. One that is slow to answer is only busy.
awaitable<void> Monitor::State::heed_health() {
  Access quick = access;
  quick.timeout = options.health_timeout;
  const auto answer = co_await get(std::move(quick), "/health");
  if (answer && answer->head.status >= 500) {
    go_down(fmt::format("GET {}/health: answered {}", access.origin.url(), answer->head.status));
  }
}

awaitable<void> Monitor::State::take(MetricsPage page, Instant now) {
  if (run.contradicts(page)) {
    run = {};
    outdated = true;
    tell(events.new_run);
  }
  run.remember(page);
  // Unknown ranks: the engine was found while it had no metrics, or it has grown.
  outdated =
      outdated || !std::ranges::all_of(page.labels, [this](const auto& label) { return knows(label); });
  if (outdated) co_await refresh();
  for (const auto& metrics : page.ranks) {
    if (stopped || !up) co_return;
    const auto rank = std::ranges::find(facts->ranks, metrics.label, &RankFacts::label);
    if (rank == facts->ranks.end()) continue;
    tell(events.reading, static_cast<std::size_t>(rank - facts->ranks.begin()), metrics, now);
  }
}

awaitable<void> Monitor::State::loop(std::shared_ptr<State> self) {
  while (!self->stopped) {
    try {
      if (!self->up) co_await self->find();
      if (self->up) co_await self->scrape();
    } catch (const std::exception& error) {
      self->last_error = error.what();  // one bad round must not end the watch
    }
    if (self->stopped) break;
    if (std::exchange(self->woken, false)) continue;
    self->pause.expires_after(self->up ? self->clock.wall(self->options.scrape_interval)
                                       : self->options.retry);
    co_await self->pause.async_wait(tuple_awaitable);
    self->woken = false;
  }
}

Monitor::Monitor(asio::io_context& context, Access access, MonitorOptions options, const EngineClock& clock,
                 MonitorEvents events)
    : state_(std::make_shared<State>(context, std::move(access), options, clock, std::move(events))) {}

Monitor::~Monitor() { stop(); }

void Monitor::start() {
  if (std::exchange(state_->started, true)) return;
  asio::co_spawn(state_->context, State::loop(state_),
                 asio::bind_cancellation_slot(state_->cancel.slot(), asio::detached));
}

void Monitor::stop() {
  if (std::exchange(state_->stopped, true) || !state_->started) return;
  // On the io_context, where emit() cancels at once: from elsewhere it would defer to a time when the signal
  // may be gone.
  asio::post(state_->context, [state = state_] { state->cancel.emit(asio::cancellation_type::terminal); });
}

bool Monitor::is_up() const { return state_->up; }

const std::optional<Facts>& Monitor::facts() const { return state_->facts; }

const std::optional<Instant>& Monitor::scraped() const { return state_->scraped; }

const std::string& Monitor::last_error() const { return state_->last_error; }

void Monitor::report_refused() {
  auto& state = *state_;
  if (!state.up || state.stopped) return;
  state.up = false;
  state.was_refused = true;
  state.last_error = fmt::format("{} can't be connected to", state.access.origin.url());
  state.wake();
  asio::post(state.context, [self = state_, why = state.last_error] { self->tell(self->events.down, why); });
}

void Monitor::suspect() { state_->wake(); }

awaitable<bool> Monitor::check() { return State::check(state_); }

}  // namespace lmw::engine
