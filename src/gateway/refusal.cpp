#include "gateway/refusal.hpp"

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "base/random.hpp"
#include "gateway/pool.hpp"

namespace lmw::gateway {

namespace {

// Spreads the clients that come back.
int retry_after_seconds() {
  static Random random(std::random_device{}());
  return static_cast<int>(random.between(2, 6));
}

Refusal too_large(std::uint64_t body_limit) {
  return {wire::ErrorKind::too_large,
          fmt::format("the request's body is larger than {} bytes, this gateway's limit (limits.body_bytes)",
                      body_limit)};
}

}  // namespace

net::awaitable<bool> refuse(net::ServerConnection& client, wire::Family family, Refusal refusal) {
  if (client.is_answering()) {
    const auto event = wire::error_event(refusal.kind, family, refusal.message);
    co_return co_await client.write(event) && co_await client.end();
  }
  wire::ResponseHead head;
  head.status = wire::status_of(refusal.kind, family);
  head.headers.add("Content-Type", "application/json");
  if (refusal.kind == wire::ErrorKind::unavailable || refusal.kind == wire::ErrorKind::overloaded) {
    head.headers.add("Retry-After", std::to_string(refusal.retry_after.value_or(retry_after_seconds())));
  }
  if (refusal.kind == wire::ErrorKind::unsupported_coding) {
    head.headers.add("Accept-Encoding", wire::accepted_codings);  // RFC 9110 §15.5.16
  }
  co_return co_await client.respond(std::move(head), wire::error_body(refusal.kind, family, refusal.message));
}

Refusal refusal_of(net::RequestFault fault, std::uint64_t body_limit) {
  switch (fault) {
    case net::RequestFault::timed_out:
      return {wire::ErrorKind::timeout, "the request's body did not come in time (timeouts.body_idle)"};
    case net::RequestFault::body_too_large:
      return too_large(body_limit);
    default:
      return {wire::ErrorKind::invalid_request, "the request's body is not framed as HTTP/1.1 demands"};
  }
}

Refusal refusal_of(wire::BodyDecoder::Fault fault, std::uint64_t body_limit) {
  if (fault == wire::BodyDecoder::Fault::too_large) return too_large(body_limit);
  return {
      wire::ErrorKind::invalid_request,
      "the request's body is not what its Content-Encoding says: it is damaged, cut short, or followed by "
      "other bytes"};
}

Refusal unsupported_coding() {
  return {
      wire::ErrorKind::unsupported_coding,
      fmt::format("the request's Content-Encoding can't be undone here; known are {}, and at most {} of them "
                  "on top of each other",
                  wire::accepted_codings, wire::max_codings)};
}

Refusal no_engine(const Pool& pool) {
  return {wire::ErrorKind::unavailable, fmt::format("no engine of '{}' is up", pool.name)};
}

// A minute is what makes Claude Code give up.
Refusal no_room(const Pool& pool, std::string_view why) {
  Refusal refusal{wire::ErrorKind::overloaded, fmt::format("{}: {}", pool.name, why)};
  if (const auto wait = pool.router.places().expected_wait()) {
    refusal.retry_after = static_cast<int>(std::clamp(seconds(*wait), 1.0, 59.0));
  }
  return refusal;
}

}  // namespace lmw::gateway
