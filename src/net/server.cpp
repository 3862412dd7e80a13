#include "net/server.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "wire/error_body.hpp"

namespace lmw::net {

namespace {

constexpr auto tuple_awaitable = asio::as_tuple(asio::use_awaitable);

wire::ErrorKind kind_of(RequestFault fault) {
  switch (fault) {
    case RequestFault::timed_out:
      return wire::ErrorKind::timeout;
    case RequestFault::head_too_large:
      return wire::ErrorKind::header_too_large;
    case RequestFault::body_too_large:
      return wire::ErrorKind::too_large;
    default:
      return wire::ErrorKind::invalid_request;
  }
}

std::string_view explain(RequestFault fault) {
  switch (fault) {
    case RequestFault::timed_out:
      return "the request's header did not come in time";
    case RequestFault::head_too_large:
      return "the request's header is larger than this gateway accepts (limits.head_bytes, "
             "limits.head_count)";
    case RequestFault::version:
      return "only HTTP/1.1 and HTTP/1.0 are spoken here";
    default:
      return "the request's framing is not valid HTTP/1.1";
  }
}

wire::ResponseHead json_head(int status) {
  wire::ResponseHead head;
  head.status = status;
  head.headers.add("Content-Type", "application/json");
  return head;
}

// A head that can't be trusted: answer once and close.
awaitable<void> refuse(ServerConnection& connection, RequestFault fault) {
  constexpr auto family = wire::Family::openai;
  const auto kind = kind_of(fault);
  const int status = fault == RequestFault::version ? 505 : wire::status_of(kind, family);
  co_await connection.respond(json_head(status), wire::error_body(kind, family, explain(fault)));
}

awaitable<void> answer_for_handler(ServerConnection& connection, wire::Family family) {
  constexpr auto kind = wire::ErrorKind::internal;
  co_await connection.respond(
      json_head(wire::status_of(kind, family)),
      wire::error_body(kind, family, "the gateway failed on this request; its log says how"));
}

}  // namespace

Server::Server(asio::io_context& context, tcp::acceptor acceptor, const ServerOptions& options,
               Handler handler)
    : context_(context),
      acceptor_(std::move(acceptor)),
      options_(options),
      handler_(std::move(handler)),
      room_(context, std::chrono::steady_clock::time_point::max()) {}

Result<std::unique_ptr<Server>> Server::listen(asio::io_context& context, const ListenAddress& address,
                                               const ServerOptions& options, Handler handler) {
  const auto fail = [&](const boost::system::error_code& error) {
    return failure(fmt::format("can't listen on {}:{}: {}", address.host, address.port, error.message()));
  };
  boost::system::error_code error;
  tcp::endpoint endpoint(tcp::v6(), address.port);
  if (!address.host.empty()) {
    tcp::resolver resolver(context);
    const auto found =
        resolver.resolve(address.host, std::to_string(address.port), tcp::resolver::passive, error);
    if (error) return fail(error);
    endpoint = found.begin()->endpoint();
  }
  tcp::acceptor acceptor(context);
  acceptor.open(endpoint.protocol(), error);
  if (error) return fail(error);
  acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (endpoint.protocol() == tcp::v6() && address.host.empty())
    acceptor.set_option(asio::ip::v6_only(false), error);
  acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return fail(error);
  return std::unique_ptr<Server>(new Server(context, std::move(acceptor), options, std::move(handler)));
}

std::uint16_t Server::port() const {
  boost::system::error_code ignored;
  return acceptor_.local_endpoint(ignored).port();
}

std::string Server::url() const {
  boost::system::error_code ignored;
  const auto endpoint = acceptor_.local_endpoint(ignored);
  const auto host = endpoint.address().is_unspecified() ? "127.0.0.1" : endpoint.address().to_string();
  return Origin{host, endpoint.port(), ""}.url();
}

void Server::start() { asio::co_spawn(context_, accept_loop(), asio::detached); }

void Server::drain() {
  draining_ = true;
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  room_.cancel();
  for (auto* connection : idle_) connection->close();
}

void Server::stop() {
  drain();
  for (const auto& connection : open_) connection->close();
}

awaitable<void> Server::accept_loop() {
  while (!draining_) {
    auto [error, socket] = co_await acceptor_.async_accept(tuple_awaitable);
    if (draining_) co_return;
    if (error) {
      // Out of file descriptors, most likely: those that end give some back.
      asio::steady_timer pause(context_, std::chrono::milliseconds(50));
      co_await pause.async_wait(tuple_awaitable);
      continue;
    }
    auto connection = std::make_shared<ServerConnection>(std::move(socket), options_);
    open_.insert(connection);
    asio::co_spawn(context_, serve(std::move(connection)), asio::detached);
    while (open_.size() >= options_.connections && !draining_) co_await room_.async_wait(tuple_awaitable);
  }
}

// A handler that throws has lost its exchange; nothing else is touched.
awaitable<void> Server::handle(ServerConnection& connection, wire::RequestHead head) {
  const std::string path(head.path());
  try {
    co_await handler_(connection, std::move(head));
    co_return;
  } catch (const std::exception& error) {
    if (on_fault) on_fault(path, error.what());
  }
  if (!connection.is_answering()) co_await answer_for_handler(connection, wire::family_of_path(path));
}

awaitable<void> Server::serve(std::shared_ptr<ServerConnection> connection) {
  try {
    while (!draining_) {
      idle_.insert(connection.get());
      auto head = co_await connection->read_head();
      idle_.erase(connection.get());
      if (!head) {
        if (head.error() == RequestFault::gone) break;
        co_await refuse(*connection, head.error());
        co_await connection->linger();
        break;
      }
      co_await handle(*connection, std::move(*head));
      if (!connection->reusable()) {
        co_await connection->linger();
        break;
      }
    }
  } catch (const std::exception&) {
    // The connection itself has failed.
  }
  idle_.erase(connection.get());
  connection->close();
  open_.erase(connection);
  room_.cancel();
}

}  // namespace lmw::net
