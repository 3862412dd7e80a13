// Fills the history from the counters of each pool, every 10 seconds.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/time.hpp"
#include "gateway/directory.hpp"
#include "store/history.hpp"

namespace lmw::admin {

// The counters of pools as samples of what came between.
class PoolSamples {
 public:
  explicit PoolSamples(const gateway::Directory& directory, store::History& history)
      : directory_(directory), history_(history) {}

  // Looks at the gauges, which counters don't tell. `unix_now` in seconds. Whenever ten seconds of it are
  // over, they go into the history.
  void look(std::int64_t unix_now, Instant now);

 private:
  struct Pool {
    store::Sample counted;  // all until the last sample
    double in_flight_seconds = 0;
    int in_flight_most = 0;
    double held_seconds = 0;
    int held_most = 0;
  };
  void close(const gateway::Pool& pool, Pool& seen, std::int64_t at, double seconds);

  const gateway::Directory& directory_;
  store::History& history_;
  std::map<std::string, Pool> pools_;
  std::int64_t slot_ = 0;  // unix seconds
  double seconds_ = 0;     // engine seconds of the slot so far
  Instant last_{};
};

class HistorySampler {
 public:
  // All must outlive it, and its run on the io_context.
  HistorySampler(net::asio::io_context& context, const gateway::Directory& directory,
                 const EngineClock& clock, store::History& history)
      : context_(context), timer_(context), clock_(clock), samples_(directory, history) {}

  void start();
  void stop();

 private:
  net::awaitable<void> run();

  net::asio::io_context& context_;
  net::asio::steady_timer timer_;
  const EngineClock& clock_;
  PoolSamples samples_;
  bool stopped_ = false;
};

}  // namespace lmw::admin
