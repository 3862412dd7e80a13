// For tests: a server on a free port and a test body on one io_context.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

#include "net/fetch.hpp"
#include "net/server.hpp"

namespace lmw::net {

inline wire::ResponseHead ok() {
  wire::ResponseHead head;
  head.status = 200;
  return head;
}

// A server on a free port, and a test body that runs on the same io_context. The context must run out of work
// by itself once the server is stopped: what does not end would hang the test.
class NetTest : public testing::Test {
 protected:
  void serve(Server::Handler handler, ServerOptions options = {}) {
    server_ = Server::listen(context_, {"127.0.0.1", 0}, options, std::move(handler)).value();
    server_->start();
    origin_ = {"127.0.0.1", server_->port(), ""};
  }

  template <class Body>
  void run(Body body) {
    asio::co_spawn(context_, body(), [&](std::exception_ptr error) {
      if (server_) server_->stop();
      if (error) std::rethrow_exception(error);
    });
    context_.run();
  }

  // Sends raw bytes and returns all that comes until the server closes.
  awaitable<std::string> raw(std::string bytes) {
    tcp::socket socket(context_);
    co_await socket.async_connect(server_endpoint(), asio::use_awaitable);
    co_await asio::async_write(socket, asio::buffer(bytes), asio::use_awaitable);
    std::string answer;
    boost::system::error_code error;
    while (!error) {
      char piece[4096];
      const auto size = co_await socket.async_read_some(asio::buffer(piece),
                                                        asio::redirect_error(asio::use_awaitable, error));
      answer.append(piece, size);
    }
    co_return answer;
  }
  tcp::endpoint server_endpoint() const { return {asio::ip::address_v4::loopback(), server_->port()}; }

  asio::io_context context_{1};
  std::unique_ptr<Server> server_;
  Origin origin_;
};

}  // namespace lmw::net
