// What engines' own counters say while agents are at work.
#pragma once

#include <optional>
#include <vector>

#include "base/time.hpp"
#include "engine/discovery.hpp"
#include "engine/metrics_page.hpp"
#include "report/engine_sums.hpp"

namespace lmw::bench {

class EngineWatch {
 public:
  // Looks which replicas have work once every `interval` of engine time. The clock must outlive it.
  EngineWatch(net::asio::io_context& context, std::vector<engine::Access> engines, Duration interval,
              const EngineClock& clock);

  void start();
  void stop();
  // After stop(): nothing of it runs any more.
  bool ended() const { return !running_; }

  // What has been counted since the first reading. An engine that can't be read counts as it was last.
  net::awaitable<report::EngineSums> read();
  report::EngineSums sums() const;  // as of the last reading
  // Whether the last reading found work anywhere.
  bool is_busy() const { return busy_now_ > 0; }

 private:
  struct Counters {
    std::int64_t queries = 0, hits = 0;
  };
  struct Engine {
    engine::Access access;
    std::optional<Counters> first;  // of the first reading
    Counters last;
  };

  net::awaitable<void> loop();

  net::asio::io_context& context_;
  std::vector<Engine> engines_;
  Duration interval_;
  const EngineClock& clock_;
  net::asio::steady_timer timer_;
  std::int64_t polls_ = 0;
  std::int64_t busy_ = 0;  // over all polls
  std::int64_t busy_now_ = 0;
  bool running_ = false;
  bool stopping_ = false;
};

}  // namespace lmw::bench
