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

  // One more poll, and the counters that it found.
  net::awaitable<report::EngineSums> read();
  report::EngineSums sums() const;  // as of the last reading
  // Whether the last reading found work anywhere.
  bool is_busy() const { return busy_now_ > 0; }

 private:
  struct Reading {
    std::int64_t queries = 0, hits = 0, busy = 0;
  };
  struct Engine {
    engine::Access access;
    report::EngineCounters counters{};  // when it was last read
    bool readable = false;              // then, the last time that it was asked
    std::int64_t asked = 0;             // which request that was
    std::int64_t last_then = 0;         // the last request of all when its answer came
  };

  net::awaitable<void> loop();
  static net::awaitable<std::optional<Reading>> ask(const Engine& engine);
  // `asked_since`: after the last reading had come.
  static void note(Engine& engine, const std::optional<Reading>& reading, bool asked_since);

  net::asio::io_context& context_;
  std::vector<Engine> engines_;
  Duration interval_;
  const EngineClock& clock_;
  net::asio::steady_timer timer_;
  std::int64_t requests_ = 0;
  std::int64_t polls_ = 0;
  std::int64_t missed_ = 0;
  std::int64_t busy_ = 0;  // over all polls
  std::int64_t busy_now_ = 0;
  bool running_ = false;
  bool stopping_ = false;
};

}  // namespace lmw::bench
