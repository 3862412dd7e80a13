#include "app/serve.hpp"

#include <cstdio>
#include <set>

#include <boost/asio/signal_set.hpp>
#include <fmt/format.h>

#include "app/banner.hpp"
#include "logging/log.hpp"

namespace lmw::app {

namespace {

constexpr auto patience = std::chrono::seconds(30);

void say(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

}  // namespace

int run_serve(config::Config config) {
  if (config.engines.empty()) {
    fmt::print(stderr,
               "lmwarden: no engine; name one with --engine http://127.0.0.1:8000 or in lmwarden.toml\n");
    return 2;
  }
  log::set_level(config.log_level);
  net::asio::io_context context(1);
  const auto service = GatewayService::start(context, std::move(config));
  if (!service) {
    fmt::print(stderr, "lmwarden: {}\n", service.error().message);
    return 1;
  }
  auto& gateway = **service;
  say(start_banner(gateway));
  std::set<std::string> shown;
  gateway.directory().on_change = [&](const gateway::Backend& backend) {
    say(engine_banner(backend));
    if (backend.monitor->is_up() && shown.insert(backend.pool->name).second) {
      say(client_settings(gateway.api_url(), backend.monitor->facts()->models.front()));
    }
  };
  gateway.directory().start();

  net::asio::signal_set signals(context, SIGINT, SIGTERM);
  const auto stop = [&] {
    gateway.stop();
    signals.cancel();
  };
  signals.async_wait([&](boost::system::error_code error, int) {
    if (error) return;
    say("Stopping: turns under way may end; again to stop at once\n");
    signals.async_wait([&](boost::system::error_code again, int) {
      if (!again) stop();
    });
    gateway.drain(patience, stop);
  });
  context.run();
  return 0;
}

}  // namespace lmw::app
