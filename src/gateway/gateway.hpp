// The API: what each request is answered with, by us or by an engine.
#pragma once

#include "base/time.hpp"
#include "config/config.hpp"
#include "gateway/destination.hpp"
#include "gateway/directory.hpp"
#include "gateway/in_flight.hpp"
#include "gateway/relay.hpp"
#include "gateway/turn_request.hpp"
#include "net/server.hpp"
#include "routing/key.hpp"

namespace lmw::gateway {

class Gateway {
 public:
  // All arguments must outlive it. `key_secret` keys the hashes of conversation ids.
  Gateway(Directory& directory, const config::Config& config, const EngineClock& clock,
          std::uint64_t key_secret)
      : directory_(directory), config_(config), clock_(clock), hasher_(key_secret) {}

  // Answers one request; for net::Server.
  net::awaitable<void> handle(net::ServerConnection& client, wire::RequestHead head);

  InFlight& in_flight() { return in_flight_; }

 private:
  net::awaitable<void> handle_own(net::ServerConnection& client, const wire::RequestHead& head);
  net::awaitable<void> handle_models(net::ServerConnection& client, wire::RequestHead head);
  net::awaitable<void> handle_route(net::ServerConnection& client, wire::RequestHead head,
                                    const wire::Route& route);
  net::awaitable<void> forward(net::ServerConnection& client, TurnRequest request, Instant received);
  struct Exchange;
  net::awaitable<void> run(Exchange& exchange);
  void settle(Exchange& exchange);
  net::awaitable<std::optional<Refusal>> find_destination(Exchange& exchange);

  Directory& directory_;
  const config::Config& config_;
  const EngineClock& clock_;
  routing::KeyHasher hasher_;
  InFlight in_flight_;
};

// Options of a server that serves the API or the admin side.
net::ServerOptions server_options(const config::Config& config);

}  // namespace lmw::gateway
