#include "gateway/gateway.hpp"

#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

#include "base/version.hpp"
#include "gateway/dispatch.hpp"
#include "gateway/heartbeat.hpp"
#include "gateway/relay.hpp"
#include "gateway/request_body.hpp"
#include "logging/log.hpp"

namespace lmw::gateway {

namespace {

wire::ResponseHead json_head(int status) {
  wire::ResponseHead head;
  head.status = status;
  head.headers.add("Content-Type", "application/json");
  return head;
}

bool is_own_path(std::string_view path) {
  return path == "/" || path == "/health" || path == "/version" || path == "/api/hello";
}

// A browser asks before it sends. Engines let any origin use the API, and so do we: there are no cookies to
// abuse.
net::awaitable<void> answer_preflight(net::ServerConnection& client, const wire::RequestHead& head) {
  wire::ResponseHead answer;
  answer.status = 204;
  answer.headers.add("Access-Control-Allow-Origin", "*");
  answer.headers.add("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS");
  if (const auto asked = head.headers.find("Access-Control-Request-Headers")) {
    answer.headers.add("Access-Control-Allow-Headers", *asked);
  }
  answer.headers.add("Access-Control-Max-Age", "600");
  co_await client.respond(std::move(answer), "");
}

net::awaitable<void> answer_wrong_method(net::ServerConnection& client, std::string_view allowed,
                                         wire::Family family) {
  auto head = json_head(405);
  head.headers.add("Allow", allowed);
  const auto body = wire::error_body(wire::ErrorKind::method_not_allowed, family,
                                     fmt::format("this path takes {}", allowed));
  co_await client.respond(std::move(head), body);
}

// Completes when the client has left, or when the exchange beside it is over and cancels it.
net::awaitable<void> watch(net::ServerConnection& client, bool& gone) {
  co_await client.until_gone();
  const auto state = co_await boost::asio::this_coro::cancellation_state;
  if (state.cancelled() == boost::asio::cancellation_type::none) gone = true;
}

void log_turn(const Pool& pool, const routing::Ticket& ticket, routing::TurnEnd end,
              const wire::Usage& usage) {
  const auto& decision = ticket.decision();
  const auto count = [](const std::optional<std::int64_t>& tokens) {
    return tokens ? std::to_string(*tokens) : std::string("?");
  };
  log::debug("{}: {} to {}{}, {}; {} of {} prompt tokens cached, {} generated", pool.name,
             routing::name_of(decision.outcome), pool.backend(decision.endpoint).config.url,
             decision.rank ? fmt::format(" rank {}", *decision.rank) : "", routing::name_of(end),
             count(usage.cached), count(usage.prompt), count(usage.completion));
}

bool is_stream(const TurnRequest& request) {
  return request.route->generates && request.peek && request.peek->stream;
}

// An operator has cancelled the turn. A client that has nothing of an answer yet is told, so that it does not
// send the turn again; else it is cut off.
net::awaitable<void> give_up(net::ServerConnection& client, const RelayPlan& plan, Progress& progress) {
  if (!client.is_answering() || plan.heartbeat.is_all())
    co_await refuse(client, plan.family,
                    {wire::ErrorKind::invalid_request, "this turn was cancelled on the page of LM Warden"});
  progress.client_gone = true;
}

routing::TurnEnd end_of(const Progress& progress) {
  if (progress.complete && progress.ok) return routing::TurnEnd::answered;
  return progress.client_gone ? routing::TurnEnd::cancelled : routing::TurnEnd::failed;
}

}  // namespace

net::ServerOptions server_options(const config::Config& config) {
  return {.head = {config.limits.head_bytes, config.limits.head_count},
          .body_bytes = config.limits.body_bytes,
          .connections = config.limits.connections,
          .head_timeout = config.timeouts.head,
          .body_idle = config.timeouts.body_idle,
          .keep_alive = config.timeouts.keep_alive,
          .write_idle = config.timeouts.write_idle};
}

net::awaitable<void> Gateway::handle(net::ServerConnection& client, wire::RequestHead head) {
  const auto path = head.path();
  if (head.method == "OPTIONS") {
    co_await answer_preflight(client, head);
  } else if (is_own_path(path)) {
    co_await handle_own(client, head);
  } else if (const auto* route = wire::find_route(path)) {
    const bool head_of_get = head.method == "HEAD" && route->method == "GET";
    if (head.method != route->method && !head_of_get) {
      co_await answer_wrong_method(client, route->method, route->family);
    } else if (route->endpoint == wire::Endpoint::models && directory_.pools().size() != 1) {
      co_await handle_models(client, std::move(head));
    } else {
      // vLLM refuses HEAD: it is asked with GET, and the connection to the client leaves the body out.
      if (head_of_get) head.method = "GET";
      co_await handle_route(client, std::move(head), *route);
    }
  } else {
    co_await refuse(client, wire::family_of_path(path),
                    {wire::ErrorKind::not_found, fmt::format("there is nothing at {}", path)});
  }
}

// Probes and questions about ourselves. Claude Code asks HEAD / or /api/hello before its first turn.
net::awaitable<void> Gateway::handle_own(net::ServerConnection& client, const wire::RequestHead& head) {
  const auto path = head.path();
  if (head.method != "GET" && head.method != "HEAD") {
    co_await answer_wrong_method(client, "GET", wire::Family::openai);
  } else if (path == "/health") {
    if (directory_.any_up()) {
      co_await client.respond(json_head(200), "{}");
    } else {
      co_await refuse(client, wire::Family::openai, {wire::ErrorKind::unavailable, "no engine is up"});
    }
  } else if (path == "/version") {
    co_await client.respond(json_head(200),
                            fmt::format(R"({{"version":"{}","server":"lmwarden"}})", version));
  } else {
    co_await client.respond(json_head(200), fmt::format(R"({{"name":"LM Warden","version":"{}"}})", version));
  }
}

// Several pools, or none yet: the list is ours. (One pool's list is passed on from its engine.)
net::awaitable<void> Gateway::handle_models(net::ServerConnection& client, wire::RequestHead head) {
  std::string list;
  for (const auto& pool : directory_.pools()) {
    for (const auto& model : pool->models()) {
      list += fmt::format(R"({}{{"id":{},"object":"model","owned_by":"lmwarden")", list.empty() ? "" : ",",
                          wire::json_string(model.id));
      if (model.max_model_len) list += fmt::format(R"(,"max_model_len":{})", *model.max_model_len);
      list += '}';
    }
  }
  if (list.empty()) {
    co_await refuse(client, wire::family_of_path(head.path()),
                    {wire::ErrorKind::unavailable, "no engine is up yet; LM Warden keeps looking for it"});
    co_return;
  }
  co_await client.respond(json_head(200), fmt::format(R"({{"object":"list","data":[{}]}})", list));
}

net::awaitable<void> Gateway::handle_route(net::ServerConnection& client, wire::RequestHead head,
                                           const wire::Route& route) {
  auto body = co_await read_request_body(client, head, config_);
  if (!body) {
    if (body.error()) co_await refuse(client, route.family, std::move(*body.error()));
    co_return;
  }
  const auto received = clock_.now();
  auto request = read_turn_request({directory_, config_.edits}, route, std::move(head), std::move(*body));
  if (!request) {
    co_await refuse(client, route.family, std::move(request.error()));
    co_return;
  }
  co_await forward(client, std::move(*request), received);
}

// One request on its way to an engine and back.
struct Gateway::Exchange {
  net::ServerConnection& client;
  TurnRequest request;
  RelayPlan plan;
  std::optional<Destination> destination;
  TurnUnderWay turn;
  bool settled = false;
};

net::awaitable<void> Gateway::forward(net::ServerConnection& client, TurnRequest request, Instant received) {
  auto& pool = *request.pool;
  const auto& route = *request.route;
  Heartbeat heartbeat(co_await net::asio::this_coro::executor, client, route.family,
                      is_stream(request) ? config_.timeouts.heartbeat : net::Timeout());
  RelayPlan plan{.endpoint = route.endpoint,
                 .family = route.family,
                 .hide_usage = request.hide_usage,
                 .idle = config_.timeouts.stream_idle,
                 .heartbeat = heartbeat};
  if (request.asked_model) plan.echo = {request.upstream_model, *request.asked_model};
  pool.billing_dropped += request.billing_dropped;

  Exchange exchange{.client = client,
                    .request = std::move(request),
                    .plan = plan,
                    .turn = {pool, co_await net::asio::this_coro::executor}};
  auto& turn = exchange.turn;
  auto& progress = turn.progress;
  turn.client = exchange.request.client();
  turn.since = received;
  std::optional<InFlight::Listed> listed;
  if (route.generates) listed.emplace(in_flight_, turn);
  using boost::asio::experimental::awaitable_operators::operator||;
  co_await (run(exchange) || watch(client, progress.client_gone) || turn.until_cancelled());
  if (turn.is_cancelled() && !progress.complete) co_await give_up(client, plan, progress);

  settle(exchange);
  if (progress.client_gone) client.close();
  if (progress.fault) std::rethrow_exception(progress.fault);
}

// Takes an ended turn into the accounts, once.
void Gateway::settle(Exchange& exchange) {
  auto* ticket = exchange.destination ? exchange.destination->ticket() : nullptr;
  if (!ticket || std::exchange(exchange.settled, true)) return;
  const auto end = end_of(exchange.turn.progress);
  const auto& usage = exchange.turn.progress.usage;
  auto& pool = *exchange.request.pool;
  log_turn(pool, *ticket, end, usage);
  ticket->finish(end, {usage.prompt, usage.cached, usage.completion}, clock_.now());
  pool.waiting_room.wake();
}

net::awaitable<void> Gateway::run(Exchange& exchange) {
  auto& [client, request, plan, destination, turn, settled] = exchange;
  auto& progress = turn.progress;
  try {
    if (auto refusal = co_await find_destination(exchange)) {
      plan.heartbeat.stop();
      co_await refuse(client, plan.family, std::move(*refusal));
      co_return;
    }
    if (auto* ticket = destination->ticket()) {
      turn.decision = ticket->decision();
      turn.conversation = ticket->conversation();
      progress.on_content = [this, ticket, &turn](bool streamed) {
        const auto now = clock_.now();
        turn.decision = ticket->decision();
        turn.has_content = true;
        ticket->first_content(now - turn.since, now, streamed);
      };
    }
    auto answer = co_await dispatch(request, *destination, {clock_, config_.timeouts.first_byte});
    if (progress.client_gone) co_return;
    if (!answer) {
      log::warn("{}: {}", destination->backend().config.url, answer.error().message);
      settle(exchange);
      plan.heartbeat.stop();
      co_await refuse(client, plan.family, std::move(answer.error()));
      co_return;
    }
    co_await relay(client, *answer, plan, progress);
    destination->backend().connections.release(std::move(answer->connection));
    // Before the watch beside this ends too: who has the whole answer sees it counted.
    settle(exchange);
  } catch (const std::exception&) {
    // Most likely cancelled, as the client has left: what was under way upstream is closed by leaving this
    // scope. Else the turn is ended first, then the server told.
    if (!progress.client_gone && !turn.is_cancelled()) progress.fault = std::current_exception();
  }
}

// At once, or when there is room for the turn.
net::awaitable<std::optional<Refusal>> Gateway::find_destination(Exchange& exchange) {
  auto& pool = *exchange.request.pool;
  if (!exchange.request.route->generates) {
    const auto endpoint = pool.router.lookup_endpoint();
    if (!endpoint) co_return no_engine(pool);
    exchange.destination.emplace(pool, *endpoint);
    co_return std::nullopt;
  }
  auto ticket = pool.router.route(exchange.request.facts(hasher_), exchange.turn.since);
  pool.waiting_room.wake();
  if (!ticket) co_return no_engine(pool);
  exchange.turn.prompt_tokens = ticket->prompt_tokens();
  if (ticket->is_held()) {
    exchange.turn.held = ticket->turn();
    exchange.turn.conversation = ticket->conversation();
    if (pool.router.held() > config_.limits.held)
      co_return no_room(pool, "too many turns wait for room already");
    if (!co_await pool.waiting_room.wait(*ticket, config_.timeouts.max_hold)) {
      co_return no_room(pool, "there was no room for the turn in time");
    }
    exchange.turn.held.reset();
  }
  exchange.destination.emplace(pool, std::move(*ticket));
  co_return std::nullopt;
}

}  // namespace lmw::gateway
