// Listens and hands each request to a handler.
#pragma once

#include <functional>
#include <memory>
#include <set>

#include "base/result.hpp"
#include "base/url.hpp"
#include "net/server_connection.hpp"

namespace lmw::net {

class Server {
 public:
  // Answers one request on its connection. It may leave the body unread (the connection is then closed after
  // the answer). Faults of a request's head are answered by the server itself in the OpenAI shape. A handler
  // that throws before a byte of its answer has gone out is answered for with 500, in the family of the path;
  // later its connection is closed.
  using Handler = std::function<awaitable<void>(ServerConnection&, wire::RequestHead)>;

  // Binds at once. Beyond options.connections new connections wait in the kernel's queue.
  static Result<std::unique_ptr<Server>> listen(asio::io_context& context, const ListenAddress& address,
                                                const ServerOptions& options, Handler handler);

  std::uint16_t port() const;
  std::string url() const;  // http://host:port

  // Accepts until stop(). The server must outlive the io_context's run.
  void start();
  // Takes no new connections, and no new requests on the open ones.
  void drain();
  // Closes the listener and every connection: their handlers see the peer gone.
  void stop();
  std::size_t connections() const { return open_.size(); }

  // Told of each handler that has thrown: the path it was asked for, and what it threw.
  std::function<void(std::string_view path, std::string_view what)> on_fault;

 private:
  Server(asio::io_context& context, tcp::acceptor acceptor, const ServerOptions& options, Handler handler);
  awaitable<void> accept_loop();
  awaitable<void> serve(std::shared_ptr<ServerConnection> connection);
  awaitable<void> handle(ServerConnection& connection, wire::RequestHead head);

  asio::io_context& context_;
  tcp::acceptor acceptor_;
  ServerOptions options_;
  Handler handler_;
  std::set<std::shared_ptr<ServerConnection>> open_;
  std::set<ServerConnection*> idle_;  // open, between two requests
  asio::steady_timer room_;           // cancelled when a connection ends
  bool draining_ = false;
};

}  // namespace lmw::net
