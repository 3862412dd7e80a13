// Edits of a body by byte ranges. The body itself is not copied: an edited body is a list of pieces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/peek.hpp"

namespace lmw::wire {

struct Edit {
  ByteRange range;  // what it replaces; empty: an insertion
  std::string text;
};

class Splice {
 public:
  // Edits may come in any order; their ranges must not overlap.
  void replace(ByteRange range, std::string text);
  void insert(std::size_t at, std::string text) { replace({at, at}, std::move(text)); }

  bool empty() const { return edits_.empty(); }
  std::size_t size_after(std::size_t body_size) const;

  // Pieces of the edited body in order; they point into `body` and into this object.
  std::vector<std::string_view> pieces(std::string_view body) const;

 private:
  std::vector<Edit> edits_;  // by position
};

// Adds `stream_options.include_usage: true` to a streaming request that does not ask for it. Nothing to do,
// or not possible (stream_options is no object): adds no edit. Returns whether usage will come that was not
// asked for.
bool ask_for_usage(const Peek& peek, Splice& splice);

// Takes Claude Code's billing line out of the system prompt, if there is one; whether there was.
bool drop_billing(const Peek& peek, Splice& splice);

// Puts another model name in the place of the one asked for. Needs peek.model.
void replace_model(const Peek& peek, std::string_view name, Splice& splice);

// A JSON string literal with its quotes.
std::string json_string(std::string_view text);

}  // namespace lmw::wire
