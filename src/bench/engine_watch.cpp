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

net::awaitable<report::EngineSums> EngineWatch::read() {
  std::int64_t busy = 0;
  bool readable = false;
  for (auto& engine : engines_) {
    const auto fetched = co_await engine::get(engine.access, "/metrics");
    if (!fetched || fetched->head.status != 200) continue;
    const auto page = engine::read_metrics_page(fetched->body);
    if (!page || page->ranks.empty()) continue;
    readable = true;
    Counters now;
    for (const auto& rank : page->ranks) {
      now.queries += rank.prefix_queries;
      now.hits += rank.prefix_hits;
      busy += rank.running + rank.waiting > 0;
    }
    if (!engine.first) engine.first = now;
    engine.last = now;
  }
  busy_now_ = busy;
  polls_ += readable;
  busy_ += busy;
  co_return sums();
}

report::EngineSums EngineWatch::sums() const {
  report::EngineSums sums{.polls = polls_, .busy = busy_};
  for (const auto& engine : engines_) {
    if (!engine.first) continue;
    sums.queries += engine.last.queries - engine.first->queries;
    sums.hits += engine.last.hits - engine.first->hits;
  }
  return sums;
}

}  // namespace lmw::bench
