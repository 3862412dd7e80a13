// One streamed turn over HTTP, and when its parts came.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/time.hpp"
#include "bench/dialect.hpp"
#include "net/client_connection.hpp"
#include "wire/usage.hpp"

namespace lmw::bench {

struct Answer {
  std::string failure;  // "" = it came whole
  wire::Headers headers;
  std::string text;
  wire::Usage usage;
  // When content came, reasoning and tool calls included: wire::StreamWatch says what is some.
  std::optional<Instant> first;
  Instant last{};
};

// Sends it and reads the answer to its end. `first_came` is called with the first content.
net::awaitable<Answer> ask(net::ClientConnection& connection, wire::Endpoint endpoint,
                           const wire::RequestHead& head, const std::string& body, const EngineClock& clock,
                           std::function<void()> first_came = {});

}  // namespace lmw::bench
