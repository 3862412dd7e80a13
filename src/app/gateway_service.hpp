// A whole gateway: its engines, the API and the admin listeners. `serve` runs one, the demo one for each arm.
#pragma once

#include <functional>
#include <memory>

#include "admin/api.hpp"
#include "admin/history_sampler.hpp"
#include "gateway/gateway.hpp"
#include "net/server.hpp"
#include "store/history.hpp"

namespace lmw::app {

class GatewayService {
 public:
  // Listens at once; errors name the address that can't be had.
  static Result<std::unique_ptr<GatewayService>> start(net::asio::io_context& context, config::Config config);

  std::string api_url() const { return api_->url(); }
  std::string admin_url() const { return admin_->url(); }
  const config::Config& config() const { return config_; }
  gateway::Directory& directory() { return directory_; }

  // Takes no new work; `done` is called when the turns under way have ended, or after `patience`.
  void drain(std::chrono::nanoseconds patience, std::function<void()> done);
  // Closes everything. The io_context then runs out of work, and this object may be destroyed.
  void stop();

 private:
  GatewayService(net::asio::io_context& context, config::Config config);
  Result<void> listen();
  net::awaitable<void> wait_for_turns(std::chrono::nanoseconds patience, std::function<void()> done);

  net::asio::io_context& context_;
  config::Config config_;
  EngineClock clock_;
  gateway::Directory directory_;
  gateway::Gateway gateway_;
  store::History history_;
  admin::HistorySampler sampler_;
  std::unique_ptr<admin::Api> admin_api_;
  std::unique_ptr<net::Server> api_;
  std::unique_ptr<net::Server> admin_;
};

}  // namespace lmw::app
