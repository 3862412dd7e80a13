// The engine's HTTP face: routes, metrics, and the control of faults.
#pragma once

#include <functional>
#include <string>

#include "net/server_connection.hpp"
#include "simulator/driver.hpp"
#include "simulator/faults.hpp"
#include "simulator/lookups.hpp"
#include "simulator/options.hpp"

namespace lmw::simulator {

class Api {
 public:
  // `die` is called when the control endpoint asks for it, after its answer. Both references must outlive
  // this.
  Api(const SimulatorOptions& options, EngineDriver& driver, std::function<void(Death)> die);

  asio::awaitable<void> handle(net::ServerConnection& connection, wire::RequestHead head);

  const Faults& faults() const { return faults_; }
  void set_faults(Faults faults);
  // A new process: no faults, counts from zero, a new start time.
  void restart();

  std::string metrics_page();

 private:
  asio::awaitable<void> answer_turn(net::ServerConnection& connection, const wire::RequestHead& head,
                                    wire::Endpoint endpoint);
  asio::awaitable<void> answer_metrics(net::ServerConnection& connection);
  asio::awaitable<void> answer_control(net::ServerConnection& connection, const wire::RequestHead& head);
  Response look_up(std::string_view path, std::string_view body) const;
  std::string new_id(const wire::RequestHead& head, wire::Endpoint endpoint);

  const SimulatorOptions& options_;
  EngineDriver& driver_;
  std::function<void(Death)> die_;
  Faults faults_;
  Random ids_;
  double process_start_ = 0;  // unix seconds
  std::int64_t busy_rejections_ = 0;
  std::string frozen_page_;
};

}  // namespace lmw::simulator
