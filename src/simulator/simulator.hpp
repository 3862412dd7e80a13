// A simulated engine on a scaled clock: what a client and a gateway see of a vLLM server.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "net/asio.hpp"
#include "replica/engine.hpp"
#include "simulator/faults.hpp"
#include "simulator/options.hpp"

namespace lmw::simulator {

// All calls belong to the thread that runs the io_context. To end one: stop(), let the io_context run until
// it returns (nothing of the simulator keeps it busy then), destroy.
class Simulator {
 public:
  // Listens at once.
  static Result<std::unique_ptr<Simulator>> start(net::asio::io_context& context, SimulatorOptions options,
                                                  EngineClock clock);
  ~Simulator();

  std::string url() const;  // http://host:port; the same after a death
  int replicas() const;
  replica::ReplicaStats stats(int replica);
  const SimulatorOptions& options() const;

  const Faults& faults() const;
  void set_faults(Faults faults);
  // As when the process is gone: the port is closed, all connections end. With Death::down it comes back by
  // itself.
  void die(Death death = {});
  // Comes back with an empty cache, counts at zero and a new start time. Nothing to do when it is not dead.
  Result<void> revive();
  bool is_dead() const;

  void stop();

 private:
  struct State;
  explicit Simulator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lmw::simulator
