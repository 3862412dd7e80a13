#include "bench/engine_watch.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace lmw::bench {

EngineWatch::EngineWatch(net::asio::io_context& context, std::vector<engine::Access> engines,
                         Duration interval, const EngineClock& clock)
    : context_(context), interval_(interval), clock_(clock), timer_(context) {
  for (auto& access : engines) engines_.push_back({.access = std::move(access)});
}

void EngineWatch::start() {
  running_ = true;
  net::asio::co_spawn(context_, loop(), net::asio::detached);
}

void EngineWatch::stop() {
  stopping_ = true;
  timer_.cancel();
}

net::awaitable<void> EngineWatch::loop() {
  while (!stopping_) {
    timer_.expires_after(clock_.wall(interval_));
    co_await timer_.async_wait(net::asio::as_tuple(net::asio::use_awaitable));
    if (!stopping_) co_await read();
  }
  running_ = false;
}

net::awaitable<std::optional<EngineWatch::Reading>> EngineWatch::ask(const Engine& engine) {
  const auto fetched = co_await engine::get(engine.access, "/metrics");
  if (!fetched || fetched->head.status != 200) co_return std::nullopt;
  const auto page = engine::read_metrics_page(fetched->body);
  if (!page || page->ranks.empty() || page->ranks.size() < page->labels.size()) co_return std::nullopt;
  Reading reading;
  for (const auto& rank : page->ranks) {
    reading.queries += rank.prefix_queries;
    reading.hits += rank.prefix_hits;
    reading.busy += rank.running + rank.waiting > 0;
  }
  co_return reading;
}

void EngineWatch::note(Engine& engine, const std::optional<Reading>& reading, bool asked_since) {
  engine.readable = reading.has_value();
  if (!reading) return;
  auto& counters = engine.counters;
  const bool fell = reading->queries < counters.queries || reading->hits < counters.hits;
  if (fell && !asked_since) return;  // made before the last one, and come after it
  counters.restarts += fell;
  counters.queries = reading->queries;
  counters.hits = reading->hits;
}

net::awaitable<report::EngineSums> EngineWatch::read() {
  std::int64_t busy = 0;
  bool all = true;
  for (auto& engine : engines_) {
    const auto request = ++requests_;
    const auto reading = co_await ask(engine);
    // Another poll may have asked later and been answered before: its counters are newer.
    if (request > engine.asked) {
      note(engine, reading, request > engine.last_then);
      engine.asked = request;
      engine.last_then = requests_;
    }
    all = all && reading;
    if (reading) busy += reading->busy;
  }
  busy_now_ = busy;
  ++(all ? polls_ : missed_);
  if (all) busy_ += busy;
  co_return sums();
}

report::EngineSums EngineWatch::sums() const {
  report::EngineSums sums{.engines = {}, .polls = polls_, .missed = missed_, .busy = busy_};
  for (const auto& engine : engines_)
    sums.engines.push_back(engine.readable ? std::optional(engine.counters) : std::nullopt);
  return sums;
}

}  // namespace lmw::bench
