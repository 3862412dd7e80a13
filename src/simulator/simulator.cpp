#include "simulator/simulator.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "net/server.hpp"
#include "simulator/api.hpp"
#include "simulator/driver.hpp"

namespace lmw::simulator {

namespace {

// uvicorn's. It has no limit on slow senders; ours are those of net.
net::ServerOptions server_options() {
  net::ServerOptions options;
  options.keep_alive = std::chrono::seconds(5);
  return options;
}

Result<void> check(const SimulatorOptions& options) {
  const auto& profile = options.profile;
  if (options.replicas < 1) return failure("an engine has at least one replica");
  if (options.api_servers < 1) return failure("an engine has at least one API server");
  if (options.model.empty()) return failure("the simulated model needs a name");
  if (profile.kv_tokens < profile.block_size) return failure("the profile has no KV cache");
  if (profile.max_model_len > profile.kv_tokens) {
    return failure(fmt::format("max_model_len {} is more than the KV cache of {} tokens holds",
                               profile.max_model_len, profile.kv_tokens));
  }
  return {};
}

}  // namespace

struct Simulator::State {
  State(asio::io_context& io, SimulatorOptions given, EngineClock engine_clock, ListenAddress where)
      : context(io),
        options(std::move(given)),
        clock(engine_clock),
        address(std::move(where)),
        driver(io, {options.profile, options.replicas, options.balancer, options.api_servers, options.seed},
               clock),
        api(options, driver, [this](Death death) { die(death); }),
        come_back(io) {}

  Result<void> listen() {
    auto made = net::Server::listen(context, address, server_options(),
                                    [this](net::ServerConnection& connection, wire::RequestHead head) {
                                      return api.handle(connection, std::move(head));
                                    });
    if (!made) return std::unexpected(made.error());
    server = std::move(*made);
    address.port = server->port();
    url = server->url();
    server->start();
    return {};
  }

  void die(Death death) {
    if (!server) return;
    server->stop();
    gone.push_back(std::move(server));
    api.restart();
    if (death.down) revive_after(clock.wall(*death.down));
  }

  void revive_after(std::chrono::nanoseconds wall) {
    come_back.expires_after(wall);
    come_back.async_wait([this](const boost::system::error_code& error) {
      // The port may be held for a moment by what else runs on this machine.
      if (!error && !revive()) revive_after(std::chrono::milliseconds(50));
    });
  }

  Result<void> revive() {
    if (server || stopped) return {};
    come_back.cancel();
    api.restart();
    return listen();
  }

  void stop() {
    stopped = true;
    come_back.cancel();
    driver.stop();
    if (server) server->stop();
  }

  asio::io_context& context;
  const SimulatorOptions options;
  EngineClock clock;
  ListenAddress address;
  EngineDriver driver;
  Api api;
  asio::steady_timer come_back;
  std::unique_ptr<net::Server> server;             // null while dead
  std::vector<std::unique_ptr<net::Server>> gone;  // their connections may be ending still
  std::string url;
  bool stopped = false;
};

Simulator::Simulator(std::unique_ptr<State> state) : state_(std::move(state)) {}
Simulator::~Simulator() = default;

Result<std::unique_ptr<Simulator>> Simulator::start(asio::io_context& context, SimulatorOptions options,
                                                    EngineClock clock) {
  auto address = parse_listen(options.listen);
  if (!address) return std::unexpected(address.error());
  if (auto checked = check(options); !checked) return std::unexpected(checked.error());
  auto state = std::make_unique<State>(context, std::move(options), clock, std::move(*address));
  if (auto listening = state->listen(); !listening) return std::unexpected(listening.error());
  return std::unique_ptr<Simulator>(new Simulator(std::move(state)));
}

std::string Simulator::url() const { return state_->url; }
int Simulator::replicas() const { return state_->driver.replicas(); }
replica::ReplicaStats Simulator::stats(int replica) { return state_->driver.stats(replica); }
const SimulatorOptions& Simulator::options() const { return state_->options; }
const Faults& Simulator::faults() const { return state_->api.faults(); }
void Simulator::set_faults(Faults faults) { state_->api.set_faults(std::move(faults)); }
void Simulator::die(Death death) { state_->die(death); }
Result<void> Simulator::revive() { return state_->revive(); }
bool Simulator::is_dead() const { return !state_->server; }
void Simulator::stop() { state_->stop(); }

}  // namespace lmw::simulator
