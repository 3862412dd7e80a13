// One whole small exchange on a connection of its own: discovery, scrapes, tests.
#pragma once

#include "base/result.hpp"
#include "net/client_connection.hpp"

namespace lmw::net {

struct FetchOptions {
  std::string method = "GET";
  wire::Headers headers;
  std::string body;
  Timeout timeout = std::chrono::seconds(5);  // for all of it
  std::size_t max_body = 16ull << 20;
};

struct Fetched {
  wire::ResponseHead head;
  std::string body;  // with wire::padding bytes of spare capacity
};

struct FetchError : Error {
  bool refused = false;  // nobody listens there
};

// `path` is below the origin's base path. Errors say what failed; any HTTP status is a success here.
awaitable<std::expected<Fetched, FetchError>> fetch(const Origin& origin, std::string_view path,
                                                    const FetchOptions& options);

}  // namespace lmw::net
