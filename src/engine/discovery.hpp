// Asks an engine what it is. Needs only its URL.
#pragma once

#include <string>

#include "engine/facts.hpp"
#include "net/asio.hpp"
#include "net/fetch.hpp"
#include "net/url.hpp"

namespace lmw::engine {

struct Access {
  net::Origin origin;
  std::string api_key;                             // "" = none
  net::Timeout timeout = std::chrono::seconds(5);  // a request
  std::size_t max_body = 16ull << 20;
};

net::awaitable<Result<net::Fetched>> get(Access access, std::string path);

// /v1/models must answer with at least one model; everything else may be missing.
net::awaitable<Result<Facts>> discover(Access access);

}  // namespace lmw::engine
