// A turn's request as the engine reads it: all endpoints in one form.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/api_error.hpp"
#include "simulator/conversation.hpp"
#include "wire/api.hpp"

namespace lmw::simulator {

struct TurnRequest {
  wire::Endpoint endpoint = wire::Endpoint::chat_completions;
  std::optional<std::string> model;
  Conversation conversation;       // of all but completions
  std::vector<RawPrompt> prompts;  // of completions: one or more
  bool stream = false;
  bool include_usage = false;           // stream_options, chat and completions
  bool continuous_usage_stats = false;  // stream_options, chat and completions
  std::optional<std::int64_t> max_tokens;
  std::string max_tokens_name = "max_tokens";  // as the engine's errors call it
  bool ignore_eos = false;                     // /v1/messages drops it
  std::string repeated;                        // responses: repeated_members()
  std::string id;                              // responses: the client's own, or ""
};

// Of a POST to an endpoint that generates, or to count_tokens, which demands no `max_tokens`.
std::expected<TurnRequest, ApiError> parse_turn(std::string_view body, wire::Endpoint endpoint);

// Of POST /tokenize: a `prompt`, or a conversation as chat has it.
struct TokenizeRequest {
  std::optional<std::string> model;
  std::optional<std::string> prompt;
  Conversation conversation;
};
std::expected<TokenizeRequest, ApiError> parse_tokenize(std::string_view body);

// Of POST /detokenize.
struct DetokenizeRequest {
  std::optional<std::string> model;
  std::vector<replica::Token> tokens;
};
std::expected<DetokenizeRequest, ApiError> parse_detokenize(std::string_view body);

}  // namespace lmw::simulator
