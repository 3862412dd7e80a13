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

}  // namespace

GatewayService::GatewayService(net::asio::io_context& context, config::Config config)
    : context_(context),
      config_(std::move(config)),
      clock_(config_.time_scale),
      directory_(context, config_, clock_),
      gateway_(directory_, config_, clock_, random_secret()) {}

Result<std::unique_ptr<GatewayService>> GatewayService::start(net::asio::io_context& context,
                                                              config::Config config) {
  const auto listen = parse_listen(config.listen);
  if (!listen) return std::unexpected(listen.error());
  const auto admin_listen = parse_listen(config.admin_listen);
  if (!admin_listen) return std::unexpected(admin_listen.error());

  std::unique_ptr<GatewayService> service(new GatewayService(context, std::move(config)));
  auto* self = service.get();
  self->admin_api_ = std::make_unique<admin::Api>(self->directory_, self->clock_, admin_listen->host);
  const auto options = gateway::server_options(self->config_);
  auto api = net::Server::listen(context, *listen, options,
                                 [self](net::ServerConnection& client, wire::RequestHead head) {
                                   return self->gateway_.handle(client, std::move(head));
                                 });
  if (!api) return std::unexpected(api.error());
  auto admin = net::Server::listen(context, *admin_listen, options,
                                   [self](net::ServerConnection& client, wire::RequestHead head) {
                                     return self->admin_api_->handle(client, std::move(head));
                                   });
  if (!admin) return std::unexpected(admin.error());
  for (auto* server : {api->get(), admin->get()}) server->on_fault = log_fault;
  self->api_ = std::move(*api);
  self->admin_ = std::move(*admin);
  self->api_->start();
  self->admin_->start();
  return service;
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
  directory_.stop();
}

}  // namespace lmw::app
