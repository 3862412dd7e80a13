#include "bench/engine_watch.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace lmw::bench {

EngineWatch::EngineWatch(net::asio::io_context& context, engine::Access access, Duration interval,
                         const EngineClock& clock)
    : context_(context), access_(std::move(access)), interval_(interval), clock_(clock), timer_(context) {}

void EngineWatch::start() { net::asio::co_spawn(context_, loop(), net::asio::detached); }

void EngineWatch::stop() {
  stopping_ = true;
  timer_.cancel();
}

net::awaitable<void> EngineWatch::loop() {
  running_ = true;
  while (!stopping_) {
    timer_.expires_after(clock_.wall(interval_));
    const auto fetched = co_await engine::get(access_, "/metrics");
    if (stopping_) break;
    if (fetched && fetched->head.status == 200) {
      if (const auto page = engine::read_metrics_page(fetched->body)) take(*page);
    }
    co_await timer_.async_wait(net::asio::as_tuple(net::asio::use_awaitable));
  }
  running_ = false;
}

void EngineWatch::take(const engine::MetricsPage& page) {
  if (page.ranks.empty()) return;
  replicas_ = page.ranks.size();
  queries_ = hits_ = 0;
  for (const auto& rank : page.ranks) {
    queries_ += rank.prefix_queries;
    hits_ += rank.prefix_hits;
    busy_ += rank.running + rank.waiting > 0;
  }
  if (readings_++ == 0) {
    first_queries_ = queries_;
    first_hits_ = hits_;
  }
}

std::optional<double> EngineWatch::replicas_busy() const {
  if (readings_ == 0) return std::nullopt;
  return static_cast<double>(busy_) / readings_;
}

std::optional<double> EngineWatch::hits_pct() const {
  const auto queries = queries_ - first_queries_;
  if (queries <= 0) return std::nullopt;
  return 100.0 * static_cast<double>(hits_ - first_hits_) / static_cast<double>(queries);
}

}  // namespace lmw::bench
