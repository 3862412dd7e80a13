// Idle connections to one origin. A connection is reused until it has been idle for a while: shorter than the
// engine's own keep-alive timeout, so that a request rarely meets a connection that the engine is just
// closing.
#pragma once

#include <vector>

#include "net/client_connection.hpp"

namespace lmw::net {

struct PoolOptions {
  Timeout connect = std::chrono::seconds(2);
  Timeout idle = std::chrono::seconds(4);
  std::size_t max_idle = 256;
};

class UpstreamPool {
 public:
  UpstreamPool(Origin origin, const PoolOptions& options) : origin_(std::move(origin)), options_(options) {}

  struct Lease {
    std::unique_ptr<ClientConnection> connection;
    bool reused = false;
  };
  // An idle connection that is still quiet, the youngest first, else a new one.
  awaitable<std::expected<Lease, UpstreamFault>> acquire();
  // Always a new one.
  awaitable<std::expected<Lease, UpstreamFault>> connect();
  // Keeps the connection for the next exchange if it can be reused; else it is closed.
  void release(std::unique_ptr<ClientConnection> connection);

  // Closes connections that have been idle too long. Call it every few seconds.
  void retire_idle();
  // Closes all idle ones, as when the engine has restarted.
  void clear() { idle_.clear(); }
  // Keeps none from now on: what ends later is closed too.
  void close() {
    closed_ = true;
    clear();
  }

  const Origin& origin() const { return origin_; }
  std::size_t idle_count() const { return idle_.size(); }

 private:
  struct Idle {
    std::unique_ptr<ClientConnection> connection;
    std::chrono::steady_clock::time_point since;
  };
  Origin origin_;
  PoolOptions options_;
  std::vector<Idle> idle_;  // oldest first
  bool closed_ = false;
};

}  // namespace lmw::net
