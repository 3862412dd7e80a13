// A turn's request as the engine reads it: both families in one form.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/api_error.hpp"
#include "wire/api.hpp"

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

// What stands in the prompt. Dropped: cache_control, metadata, ids, and parts that a text model's template
// passes over.
struct Conversation {
  std::string system;
  std::vector<Tool> tools;
  std::vector<Message> messages;
};

struct TurnRequest {
  std::optional<std::string> model;
  Conversation conversation;
  bool stream = false;
  bool include_usage = false;           // stream_options, chat
  bool continuous_usage_stats = false;  // stream_options, chat
  std::optional<std::int64_t> max_tokens;
  bool ignore_eos = false;  // chat only: /v1/messages drops it
};

// Of POST /v1/chat/completions (openai) or /v1/messages and its count_tokens (anthropic). `max_tokens` is
// demanded of /v1/messages only when `generates`.
std::expected<TurnRequest, ApiError> parse_turn(std::string_view body, wire::Family family,
                                                bool generates = true);

// Of POST /tokenize: a `prompt`, or a conversation as chat has it.
struct TokenizeRequest {
  std::optional<std::string> model;
  std::optional<std::string> prompt;
  Conversation conversation;
};
std::expected<TokenizeRequest, ApiError> parse_tokenize(std::string_view body);

}  // namespace lmw::simulator
