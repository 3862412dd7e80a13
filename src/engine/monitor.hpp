// Watches one engine: finds it, reads its /metrics, judges whether it is up, notices when it has started
// anew.
//
// It is down when its port refuses, when /health answers with an error, or when neither /metrics nor /health
// answers. It comes up by a new discovery. A slow, failing, malformed or huge /metrics only leaves readings
// to age. It has started anew when its process start time changes, when a counter goes back, when its port
// has refused, and, where its metrics can't tell, when it comes back after it was down.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/time.hpp"
#include "engine/discovery.hpp"
#include "engine/facts.hpp"
#include "engine/metrics_page.hpp"

namespace lmw::engine {

struct MonitorOptions {
  Duration scrape_interval = std::chrono::seconds(5);   // engine time
  net::Timeout retry = std::chrono::milliseconds(500);  // wall: between two looks at an engine that is down
  net::Timeout health_timeout = std::chrono::seconds(2);
};

// Called on the monitor's own thread, never from within a call into the monitor that is not a coroutine. The
// monitor may be stopped or destroyed in them. None comes after stop().
struct MonitorEvents {
  // Found, or found to be another than before while it was up. After new_run when it is a new run.
  std::function<void(const Facts&)> up;
  std::function<void(const std::string& why)> down;
  std::function<void()> new_run;  // before the first reading of the new run
  std::function<void(std::size_t rank, const RankMetrics&, Instant)> reading;
};

class Monitor {
 public:
  Monitor(net::asio::io_context& context, Access access, MonitorOptions options, const EngineClock& clock,
          MonitorEvents events);
  ~Monitor();

  void start();
  // Ends the loop; the io_context then has no work of ours left.
  void stop();

  bool is_up() const;
  const std::optional<Facts>& facts() const;      // of the last discovery
  const std::optional<Instant>& scraped() const;  // when /metrics was last read; nothing: never yet
  const std::string& last_error() const;          // why it is down, or why the last scrape failed; "" = none

  // A turn could not connect: it is down from now on, until it is found again.
  void report_refused();
  // A turn was answered with an error of the engine's: look at it soon.
  void suspect();
  // Looks at /health now: whether it is good. If it is and the engine was down, it is looked for at once.
  net::awaitable<bool> check();

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the loop's coroutine, which ends after stop()
};

}  // namespace lmw::engine
