// Sends a request to its destination and waits for the head of an answer. One engine works on it at a time.
// It is sent again only when
// - a reused idle connection closes before a byte: once, to the same replica, on a fresh connection;
// - the connect fails, or the connection ends before a byte and the engine is then judged down: to another
// replica.
#pragma once

#include <expected>

#include "base/time.hpp"
#include "gateway/destination.hpp"
#include "gateway/refusal.hpp"
#include "gateway/turn_request.hpp"

namespace lmw::gateway {

struct Answer {
  std::unique_ptr<net::ClientConnection> connection;
  wire::ResponseHead head;
};

struct DispatchOptions {
  const EngineClock& clock;
  net::Timeout first_byte;  // from the request sent to the head of the answer
};

// Frees the request's body once the first byte of the answer is there.
net::awaitable<std::expected<Answer, Refusal>> dispatch(TurnRequest& request, Destination& destination,
                                                        DispatchOptions options);

}  // namespace lmw::gateway
