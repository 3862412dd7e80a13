// Keeps the patience of a streaming client, and of the proxies between, while nothing comes: the turn is
// held, its prefill is long, or its stream stalls.
//
// After each `interval` of silence a ping goes out (wire/ping.hpp), always between two whole events. If
// nothing has been answered by then, so does the head: the engine's where it has come, else one of ours with
// status 200. That early head is a trade. Clients wait 340 s and more for a head, and 300 s between events;
// but proxies cut a silent connection after 50 s (HAProxy), 60 s (nginx, load balancers) or 100 s and more
// (Cloudflare). Once the head is out, an engine that fails or refuses can only be told of by an error event:
// agents ask again then as they do on a status, but there is no Retry-After to obey, and the engine's own
// headers are lost. So `interval` should be little less than the shortest of those patiences.
#pragma once

#include <memory>
#include <optional>

#include "net/server_connection.hpp"
#include "wire/api.hpp"

namespace lmw::gateway {

// How long nothing has come. Pure: the time is an argument.
class Silence {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // An interval of 0: it never lasts too long.
  Silence(net::Timeout interval, Time now) : interval_(interval), since_(now) {}

  void break_at(Time now) { since_ = now; }
  // Nothing more is waited for.
  void end() { interval_ = {}; }
  // When it will have lasted too long; nothing: never.
  std::optional<Time> due() const {
    if (interval_ == net::Timeout()) return std::nullopt;
    return since_ + interval_;
  }

 private:
  net::Timeout interval_;
  Time since_;
};

// Beats while it lives, whatever is awaited meanwhile: an admission, a dispatch, the next piece of a stream.
// `client` must outlive it.
class Heartbeat {
 public:
  Heartbeat(const net::asio::any_io_executor& executor, net::ServerConnection& client, wire::Family family,
            net::Timeout interval);

  // Something of the stream goes out to the client, which then stands between two events, or within one.
  void passing_on(bool between_events);
  // The last event goes out, or the answer turns out to be no stream.
  void stop();
  // Whether pings, and the head before them, are all that the client has heard: an event of ours may follow.
  bool is_all() const;

 private:
  struct State;
  static void arm(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;  // shared with the timer's callback, which may run after this object's end
};

}  // namespace lmw::gateway
