// Passes an engine's answer on to the client, byte for byte, watching what it says of itself: when its
// content begins, its token counts, whether it came to its end.
//
// Of a stream only whole events are passed on. So when the engine dies in the middle of one, what the client
// has is whole, and our error event stands on its own line. Where heartbeats have sent a head before the
// engine did, an answer that is no stream is told as the error event that ends ours.
#pragma once

#include <optional>
#include <string>

#include "gateway/dispatch.hpp"
#include "gateway/heartbeat.hpp"
#include "gateway/progress.hpp"
#include "net/server_connection.hpp"

namespace lmw::gateway {

struct RelayPlan {
  wire::Endpoint endpoint;
  wire::Family family;
  bool hide_usage = false;
  // The engine's name of the model and the one the client asked for; nothing when they are the same.
  struct Echo {
    std::string upstream;
    std::string asked;
  };
  std::optional<Echo> echo;
  net::Timeout idle;     // between two pieces of the answer
  Heartbeat& heartbeat;  // of this client
};

net::awaitable<void> relay(net::ServerConnection& client, Answer& answer, RelayPlan plan, Progress& progress);

}  // namespace lmw::gateway
