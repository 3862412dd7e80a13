// What must hold for every message that HttpReader gives, whichever side sent it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "input.hpp"
#include "target.hpp"
#include "wire/http_reading.hpp"

namespace lmw::fuzz {

using Reading = wire::testing::Reading;
using Kind = wire::HttpReader::Kind;

// Small, so that inputs of a few hundred bytes can exceed them.
inline wire::HeadLimits limits_of(char choice) {
  if (choice == 'l') return {.bytes = 160, .count = 4};
  return {};
}

inline Reading read(Kind kind, const std::vector<Bytes>& pieces, wire::HeadLimits limits, bool past = false) {
  std::vector<std::string_view> views;
  for (const auto& piece : pieces) views.push_back(view(piece));
  return wire::testing::read(kind, views, limits, past);
}

// The messages and the fault of a connection, which are the same however its bytes were cut.
inline Reading read_in_any_pieces(Kind kind, const Input& input) {
  const auto limits = limits_of(input.choice);
  auto reading = read(kind, whole(input.text), limits);
  require(read(kind, input.pieces(), limits) == reading, "the cuts make no difference");
  require(read(kind, single_bytes(input.text), limits) == reading, "single bytes make no difference");
  require(read(kind, input.pieces(), limits, true) == reading, "bodies may be read past the reader");
  return reading;
}

// The body in the framing that the head announces. `reader` has read the head.
inline std::string framed(const wire::HttpReader& reader, std::string_view body) {
  if (reader.done() || reader.content_length() || reader.until_close()) return std::string(body);
  std::string result;
  if (!body.empty())
    result = wire::chunk_prefix(body.size()) + std::string(body) + std::string(wire::chunk_suffix);
  return result + std::string(wire::last_chunk);
}

// Reads the head of a message once more, as it was written by us.
inline wire::HttpReader read_head(Kind kind, std::string_view head) {
  wire::HttpReader reader(kind, {.bytes = 4 * head.size() + 4096, .count = 4096});
  std::string none;
  const auto taken = reader.feed(head, none);
  require(taken == head.size() && reader.head_done() && none.empty(), "what we write as a head is one");
  return reader;
}

inline void check_round_trip(Kind kind, const Reading::Message& message) {
  const auto reader = read_head(kind, message.head);
  const auto bytes = message.head + framed(reader, message.body);
  const auto again = wire::testing::read(kind, {bytes}, {.bytes = 2 * bytes.size() + 4096, .count = 4096});
  require(!again.fault && again.messages == std::vector{message},
          "a message that is written reads as itself");
}

// `relayed` goes out in front of `next` on one connection: the other side must see exactly these two, or
// whoever wrote the first could smuggle another in between.
inline Reading::Message check_no_smuggling(Kind kind, const std::string& relayed, std::string_view next) {
  const auto bytes = relayed + std::string(next);
  auto seen = wire::testing::read(kind, {bytes}, {.bytes = 2 * bytes.size() + 4096, .count = 4096});
  require(!seen.fault && seen.messages.size() == 2 && seen.rest.empty(), "one message is relayed as one");
  require(seen.messages[1].head == next, "the next message is untouched");
  return std::move(seen.messages[0]);
}

}  // namespace lmw::fuzz
