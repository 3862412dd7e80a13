#include "gateway/refusal.hpp"

#include <random>

#include <fmt/format.h>

#include "base/random.hpp"

namespace lmw::gateway {

namespace {

// Spreads the clients that come back.
int retry_after_seconds() {
  static Random random(std::random_device{}());
  return static_cast<int>(random.between(2, 6));
}

}  // namespace

net::awaitable<bool> refuse(net::ServerConnection& client, wire::Family family, Refusal refusal) {
  wire::ResponseHead head;
  head.status = wire::status_of(refusal.kind, family);
  head.headers.add("Content-Type", "application/json");
  if (refusal.kind == wire::ErrorKind::unavailable || refusal.kind == wire::ErrorKind::overloaded) {
    head.headers.add("Retry-After", std::to_string(retry_after_seconds()));
  }
  co_return co_await client.respond(std::move(head), wire::error_body(refusal.kind, family, refusal.message));
}

Refusal refusal_of(net::RequestFault fault, std::uint64_t body_limit) {
  switch (fault) {
    case net::RequestFault::timed_out:
      return {wire::ErrorKind::timeout, "the request's body did not come in time (timeouts.body_idle)"};
    case net::RequestFault::body_too_large:
      return {
          wire::ErrorKind::too_large,
          fmt::format("the request's body is larger than {} bytes, this gateway's limit (limits.body_bytes)",
                      body_limit)};
    default:
      return {wire::ErrorKind::invalid_request, "the request's body is not framed as HTTP/1.1 demands"};
  }
}

}  // namespace lmw::gateway
