// The lines of a head, and the framing of the body that a head announces (RFC 9112 §3–§6). Part of
// http_reader; nothing else needs it. Lines come from HttpLines: without CRLF, and without control characters
// other than HTAB.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "wire/http_message.hpp"
#include "wire/http_reader.hpp"

namespace lmw::wire {

std::expected<void, ReadFault> parse_request_line(std::string_view line, RequestHead& head);
std::expected<void, ReadFault> parse_status_line(std::string_view line, ResponseHead& head);

// "name: value", appended. Also used for trailers.
std::expected<void, ReadFault> parse_header_line(std::string_view line, Headers& headers);

// Digits and nothing else: no sign, prefix, space, list or overflow.
std::optional<std::uint64_t> parse_size(std::string_view digits, int base);

struct BodyFraming {
  enum class Kind { length, chunked, until_close };
  Kind kind = Kind::length;
  std::uint64_t length = 0;  // of Kind::length; 0 means that there is no body
};

// Of a complete head. Requests: also checks Host, and reduces an absolute-form target ("http://host/path", as
// sent to proxies) to its origin form; its authority then replaces Host (RFC 9112 §3.2.2).
std::expected<BodyFraming, ReadFault> complete_request(RequestHead& head);
std::expected<BodyFraming, ReadFault> response_framing(const ResponseHead& head, bool no_body);

}  // namespace lmw::wire
