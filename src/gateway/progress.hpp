// How far an answer has come on its way to the client.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>

#include "wire/usage.hpp"

namespace lmw::gateway {

// Outlives the relay, which may be cancelled at any point.
struct Progress {
  bool client_gone = false;
  bool complete = false;  // the client has all of it
  bool ok = false;        // the engine answered with success
  wire::Usage usage;
  std::optional<std::int64_t> content_events;  // of a stream, so far: about as many as tokens
  // Called once, when the first content is about to be passed on; whether it is that of a stream.
  std::function<void(bool streamed)> on_content;
  std::exception_ptr fault;  // a bug of ours has ended it
};

}  // namespace lmw::gateway
