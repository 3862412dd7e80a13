#include "app/serve.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
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

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string default_data_dir() {
  if (const auto state = variable("STATE_DIRECTORY"); !state.empty()) return state;  // systemd's
  if (const auto state = variable("XDG_STATE_HOME"); !state.empty()) return state + "/lmwarden";
  if (const auto home = variable("HOME"); !home.empty()) return home + "/.local/state/lmwarden";
  return std::string(config::no_data_dir);
}

// A folder that can't be made shows on the page, as what it should hold is not kept.
std::string made_data_dir(std::string folder) {
  if (folder.empty()) folder = default_data_dir();
  std::error_code error;
  if (folder != config::no_data_dir) std::filesystem::create_directories(folder, error);
  return folder;
}

}  // namespace

int run_serve(config::Config config) {
  if (config.engines.empty()) {
    fmt::print(stderr,
               "lmwarden: no engine; name one with --engine http://127.0.0.1:8000 or in lmwarden.toml\n");
    return 2;
  }
  log::set_level(config.log_level);
  config.data_dir = made_data_dir(std::move(config.data_dir));
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
      say(settings_banner(gateway.api_url(), backend.monitor->facts()->models.front()));
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
