// One pass over a request's JSON: the fields that routing needs, with their byte ranges, without copying or
// rebuilding the body. Where a key stands twice the last one counts, as it does for the engine (Python's
// json).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/fingerprint.hpp"
#include "base/result.hpp"
#include "wire/api.hpp"

namespace lmw::wire {

// Bytes [begin, end) of the body.
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

struct Peek {
  std::size_t object_begin = 0;      // offset of the top-level `{`
  bool empty_object = false;         // `{}`: a member added to it needs no comma
  std::optional<std::string> model;  // decoded
  ByteRange model_value;             // the value's token with its quotes; valid when model is there
  bool stream = false;
  // stream_options: absent, or an object, or something else (then we leave it alone).
  enum class StreamOptions { absent, object, other } stream_options = StreamOptions::absent;
  ByteRange stream_options_value;                // the whole value
  bool stream_options_empty = false;             // `{}`
  bool include_usage = false;                    // stream_options.include_usage is true
  std::optional<ByteRange> include_usage_value;  // where include_usage stands with any value
  // Identity (body sources of a conversation key), decoded. Empty strings count as absent.
  std::optional<std::string> user;              // `user`
  std::optional<std::string> prompt_cache_key;  // `prompt_cache_key`
  std::optional<std::string>
      metadata_session;  // the session part of `metadata.user_id`, in any of its three shapes
  // Claude Code's billing line at the head of `system`: its block with the comma after it, or, in a system
  // prompt that is one string, its line. It differs between sessions, and with it at the head no two of them
  // share a prefix.
  std::optional<ByteRange> billing;
  // Sizes.
  std::size_t messages = 0;  // elements of `messages` (or `input`, when that is a list)
  std::size_t tools = 0;     // elements of `tools`
  // Of the prompt, the billing line left out.
  Fingerprint fingerprint;
};

// `body` must be followed by at least `padding` readable bytes. Errors: not JSON, not UTF-8, not an object.
// A field of the wrong type, or a string that can't be decoded, counts as absent. Values that are not needed
// are skipped with little more than a look at their brackets: they may still be malformed, which is the
// engine's to say. Needs memory of about six bytes for each of the body during the call, touched only in
// part.
inline constexpr std::size_t padding = 64;
Result<Peek> peek(std::string_view body);

}  // namespace lmw::wire
