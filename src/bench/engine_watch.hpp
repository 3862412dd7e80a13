// What an engine's own counters say over a span of time.
#pragma once

#include <optional>

#include "base/time.hpp"
#include "engine/discovery.hpp"
#include "engine/metrics_page.hpp"

namespace lmw::bench {

class EngineWatch {
 public:
  // The clock must outlive it. Reads /metrics every `interval` of engine time.
  EngineWatch(net::asio::io_context& context, engine::Access access, Duration interval,
              const EngineClock& clock);

  void start();
  void stop();
  // After stop(): nothing of it runs any more.
  bool ended() const { return !running_; }

  // Over the readings so far; nothing without readings.
  std::optional<double> replicas_busy() const;
  std::optional<double> hits_pct() const;
  std::size_t replicas() const { return replicas_; }

 private:
  net::awaitable<void> loop();
  void take(const engine::MetricsPage& page);

  net::asio::io_context& context_;
  engine::Access access_;
  Duration interval_;
  const EngineClock& clock_;
  net::asio::steady_timer timer_;
  bool running_ = false;
  bool stopping_ = false;
  std::size_t replicas_ = 0;
  int readings_ = 0;
  int busy_ = 0;  // replicas with work, summed over readings
  std::int64_t first_queries_ = 0, first_hits_ = 0, queries_ = 0, hits_ = 0;
};

}  // namespace lmw::bench
