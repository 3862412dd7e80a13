// Our own errors, in the caller's family.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/server_connection.hpp"
#include "wire/content_coding.hpp"
#include "wire/error_body.hpp"

namespace lmw::gateway {

struct Pool;

// Why a request gets no answer from an engine.
struct Refusal {
  wire::ErrorKind kind = wire::ErrorKind::upstream;
  std::string message;
  // Of `unavailable` and `overloaded`: seconds, 1 to 59; nothing: a few.
  std::optional<int> retry_after = {};
};

// Answers with the error. `unavailable` and `overloaded` carry a Retry-After of a few seconds with some
// spread: never 60 or more, at which Claude Code gives up at once. Where the head of a stream has gone out
// already (heartbeats), the error is the event that ends the stream.
net::awaitable<bool> refuse(net::ServerConnection& client, wire::Family family, Refusal refusal);

// Of turns that a pool can't take.
Refusal no_engine(const Pool& pool);
Refusal no_room(const Pool& pool, std::string_view why);

// What a fault in reading or decoding a request's body means for its sender.
Refusal refusal_of(net::RequestFault fault, std::uint64_t body_limit);
Refusal refusal_of(wire::BodyDecoder::Fault fault, std::uint64_t body_limit);
Refusal unsupported_coding();

}  // namespace lmw::gateway
