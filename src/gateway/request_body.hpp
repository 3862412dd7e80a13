// The body of a request, whole and plain.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "config/config.hpp"
#include "gateway/refusal.hpp"
#include "net/server_connection.hpp"
#include "wire/http_message.hpp"

namespace lmw::gateway {

// Reads the body and undoes its content codings, which are then taken out of `head`; with
// edits.decode_requests off it stays as it came. Both as sent and as decoded it is bounded by
// limits.body_bytes. Decoding lets other work go on in between. The body is followed by wire::padding bytes
// of capacity. No refusal: the client has gone.
net::awaitable<std::expected<std::string, std::optional<Refusal>>> read_request_body(
    net::ServerConnection& client, wire::RequestHead& head, const config::Config& config);

}  // namespace lmw::gateway
