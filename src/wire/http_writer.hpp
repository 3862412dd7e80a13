// Serialises HTTP/1.1 heads and chunks.
#pragma once

#include <string>
#include <string_view>

#include "wire/http_message.hpp"

namespace lmw::wire {

// The head with its blank line, in the head's own version: one that is relayed needs minor = 1 (RFC 9110
// §6.2). Nothing is checked and headers are written as they are: framing headers are the caller's to set, and
// text that did not come through HttpReader must hold no line ends.
std::string serialize(const RequestHead& head);
std::string serialize(const ResponseHead& head);

// "1a\r\n": goes before the chunk's bytes; "\r\n" goes after them. Not for 0 bytes: that would end the body.
std::string chunk_prefix(std::size_t size);
inline constexpr std::string_view chunk_suffix = "\r\n";
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

}  // namespace lmw::wire
