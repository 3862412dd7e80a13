#include "app/gateway_service.hpp"

#include <random>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "logging/log.hpp"

namespace lmw::app {

namespace {

std::uint64_t random_secret() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

void log_fault(std::string_view path, std::string_view what) {
  log::write(log::Level::error, fmt::format("{}: the request was given up: {}", path, what));
}

// A file or folder of the data directory; "" where there is none.
std::string in_data_dir(const std::string& data_dir, std::string_view name) {
  return data_dir.empty() || data_dir == config::no_data_dir ? "" : fmt::format("{}/{}", data_dir, name);
}

}  // namespace

GatewayService::GatewayService(net::asio::io_context& context, config::Config config)
    : context_(context),
      config_(std::move(config)),
      clock_(config_.time_scale),
      directory_(context, config_, clock_),
      gateway_(directory_, config_, clock_, random_secret()),
      history_(in_data_dir(config_.data_dir, "history.sqlite")),
      sampler_(context, directory_, clock_, history_) {}

Result<std::unique_ptr<GatewayService>> GatewayService::start(net::asio::io_context& context,
                                                              config::Config config) {
  std::unique_ptr<GatewayService> service(new GatewayService(context, std::move(config)));
  if (const auto listening = service->listen(); !listening) return std::unexpected(listening.error());
  service->api_->start();
  service->admin_->start();
  service->sampler_.start();
  return service;
}

Result<void> GatewayService::listen() {
  const auto listen = parse_listen(config_.listen);
  if (!listen) return std::unexpected(listen.error());
  const auto admin_listen = parse_listen(config_.admin_listen);
  if (!admin_listen) return std::unexpected(admin_listen.error());

  const auto options = gateway::server_options(config_);
  auto api = net::Server::listen(context_, *listen, options,
                                 [this](net::ServerConnection& client, wire::RequestHead head) {
                                   return gateway_.handle(client, std::move(head));
                                 });
  if (!api) return std::unexpected(api.error());
  api_ = std::move(*api);
  auto admin = net::Server::listen(context_, *admin_listen, options,
                                   [this](net::ServerConnection& client, wire::RequestHead head) {
                                     return admin_api_->handle(client, std::move(head));
                                   });
  if (!admin) return std::unexpected(admin.error());
  admin_ = std::move(*admin);
  admin_api_ =
      std::make_unique<admin::Api>(admin::ApiParts{directory_, gateway_.in_flight(), clock_, history_},
                                   admin::ApiOptions{.listen_host = admin_listen->host,
                                                     .api_url = api_->url(),
                                                     .page_dir = config_.page_dir,
                                                     .reports_dir = in_data_dir(config_.data_dir, "reports"),
                                                     .token = config_.admin_token});
  for (auto* server : {api_.get(), admin_.get()}) server->on_fault = log_fault;
  return {};
}

void GatewayService::drain(std::chrono::nanoseconds patience, std::function<void()> done) {
  api_->drain();
  net::asio::co_spawn(context_, wait_for_turns(patience, std::move(done)), net::asio::detached);
}

net::awaitable<void> GatewayService::wait_for_turns(std::chrono::nanoseconds patience,
                                                    std::function<void()> done) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  net::asio::steady_timer timer(context_);
  while (api_->connections() > 0 && std::chrono::steady_clock::now() < deadline) {
    timer.expires_after(std::chrono::milliseconds(20));
    co_await timer.async_wait(net::asio::as_tuple(net::asio::use_awaitable));
  }
  done();
}

void GatewayService::stop() {
  api_->stop();
  admin_->stop();
  admin_api_->stop();
  sampler_.stop();
  directory_.stop();
}

}  // namespace lmw::app
