// Asks an engine what it is. Needs only its URL.
#pragma once

#include <string>

#include "base/url.hpp"
#include "engine/facts.hpp"
#include "net/asio.hpp"
#include "net/fetch.hpp"

namespace lmw::engine {

struct Access {
  Origin origin;
  std::string api_key;                             // "" = none
  net::Timeout timeout = std::chrono::seconds(5);  // a request
  std::size_t max_body = 16ull << 20;
};

// What is asked for, with the key and the limits of `access`.
net::FetchOptions request(const Access& access);
// The same with a JSON body.
net::FetchOptions request(const Access& access, std::string method, std::string json);

// Any HTTP status is a success here.
net::awaitable<std::expected<net::Fetched, net::FetchError>> get(Access access, std::string path);

// /v1/models must answer with at least one model; everything else may be missing. At most four requests, one
// after the other. Without usable /metrics there is one rank with an empty label.
net::awaitable<Result<Facts>> discover(Access access);

}  // namespace lmw::engine
