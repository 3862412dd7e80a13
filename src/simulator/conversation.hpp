// What stands in a prompt, whichever API it came by.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "replica/tokens.hpp"

namespace lmw::simulator {

struct Part {
  enum class Kind { text, tool_call, tool_result };
  Kind kind = Kind::text;
  std::string text;  // of a tool call: its arguments as JSON text in a normal form (keys sorted, no spaces)
  std::string name;  // of a tool call
  friend bool operator==(const Part&, const Part&) = default;
};

struct Message {
  std::string role;
  std::vector<Part> parts;
};

struct Tool {
  std::string name;
  std::string definition;  // JSON text in a normal form, without cache_control
};

// Dropped: cache_control, metadata, ids, and parts that a text model's template passes over.
struct Conversation {
  std::string system;
  std::vector<Tool> tools;
  std::vector<Message> messages;

  bool empty() const { return system.empty() && messages.empty(); }
};

// What /v1/completions goes on from, in place of a conversation: a text, or its tokens.
using RawPrompt = std::variant<std::string, std::vector<replica::Token>>;

}  // namespace lmw::simulator
