// Moves the engine model along the scaled clock and hands its events to the turns that wait for them. A step
// is processed late when the thread is busy, but at its exact time on the engine's time line. An idle engine
// costs nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "net/asio.hpp"
#include "replica/engine.hpp"
#include "simulator/reply.hpp"
#include "simulator/tally.hpp"

namespace lmw::simulator {

namespace asio = boost::asio;

class EngineDriver;

// A turn's requests in the engine. Its end takes them out: the client that leaves frees their places at once.
class EngineTurn {
 public:
  EngineTurn(EngineDriver& driver, replica::RequestId first, const std::vector<Generation>& generations);
  ~EngineTurn();
  EngineTurn(const EngineTurn&) = delete;
  EngineTurn& operator=(const EngineTurn&) = delete;

  // The next event, once it has been processed. Waits for ever in an engine that hangs or was restarted.
  asio::awaitable<replica::Event> next();
  // The next one if it is there and happened until `time`.
  std::optional<replica::Event> next_until(Instant time);
  // Which of its generations an event is of.
  int choice(const replica::Event& event) const { return static_cast<int>(event.id - first_); }
  // Where it runs: the first of them, when there are several.
  int replica() const { return replica_; }

 private:
  friend class EngineDriver;
  struct Asked {
    int prompt_tokens = 0;
    Finish finish = Finish::stop;
  };

  EngineDriver& driver_;
  replica::RequestId first_;  // the others follow
  std::vector<Asked> asked_;
  std::deque<replica::Event> events_;
  asio::steady_timer arrived_;  // never fires: cancelled when an event comes
  int replica_ = 0;
  Instant submitted_{};
};

class EngineDriver {
 public:
  EngineDriver(asio::io_context& context, replica::EngineOptions options, EngineClock clock);
  ~EngineDriver();

  // `rank` must be one of the engine's; the balancer chooses for each generation when there is none.
  std::unique_ptr<EngineTurn> submit(const std::vector<Generation>& generations, std::optional<int> rank);

  void hang(int replica, bool hung);
  // Forgets requests, caches and counts. Turns that wait get no event any more.
  void restart();
  // No step runs from now on; lets the io_context run out of work.
  void stop();

  int replicas() const { return engine_.replicas(); }
  const replica::Profile& profile() const { return engine_.profile(); }
  const EngineClock& clock() const { return clock_; }
  replica::ReplicaStats stats(int replica);  // of now
  const Tally& tally(int replica) const { return tallies_[static_cast<std::size_t>(replica)]; }

 private:
  friend class EngineTurn;
  Instant advance();
  void deliver(const replica::Event& event);
  void arm();
  void abort(replica::RequestId id);

  asio::io_context& context_;
  EngineClock clock_;
  replica::Engine engine_;
  std::vector<Tally> tallies_;
  std::unordered_map<replica::RequestId, EngineTurn*> turns_;
  replica::RequestId last_id_ = 0;
  asio::steady_timer due_;
  std::optional<Instant> armed_;
  bool stopped_ = false;
  std::shared_ptr<EngineDriver*> alive_;  // emptied at the end, for a timer that had fired already
};

}  // namespace lmw::simulator
