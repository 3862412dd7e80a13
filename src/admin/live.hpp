// The live feed of the page: server-sent events, what holds now at first, then about once a second what has
// changed. A client that was away gets everything anew.
#pragma once

#include <map>
#include <string>

#include "base/time.hpp"
#include "gateway/directory.hpp"
#include "gateway/in_flight.hpp"
#include "net/server_connection.hpp"

namespace lmw::admin {

// What one client has been sent. Events:
// - state: models, engines, the routing of each model and the turns in flight, whole;
// - conversations: of one model, those that are new or had a turn; `reset`: these are all there are;
// - prompt_breaks: of one model, whole, when they have changed.
class LiveFeed {
 public:
  // Of a model, the most recently active; the page shows no more.
  static constexpr std::size_t max_conversations = 5000;

  LiveFeed(const gateway::Directory& directory, const gateway::InFlight& in_flight)
      : directory_(directory), in_flight_(in_flight) {}

  // The events since the last call.
  std::string next(Instant now);

 private:
  struct Sent {
    bool any = false;
    Instant at{};
    std::size_t conversations = 0;
    std::string breaks;
  };
  std::string conversations(const gateway::Pool& pool, Sent& sent, Instant now) const;
  std::string breaks(const gateway::Pool& pool, Sent& sent, Instant now) const;

  const gateway::Directory& directory_;
  const gateway::InFlight& in_flight_;
  std::map<std::string, Sent> sent_;  // by model
};

// Sends the feed until the client leaves or the server stops. A slow client misses steps; nothing queues.
net::awaitable<void> stream_live(net::ServerConnection& client, LiveFeed feed, const EngineClock& clock);

}  // namespace lmw::admin
