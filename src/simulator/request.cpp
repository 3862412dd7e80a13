#include "simulator/request.hpp"

#include <array>

#include "simulator/chat_input.hpp"
#include "simulator/completions_input.hpp"
#include "simulator/responses_input.hpp"

namespace lmw::simulator {

namespace {
using wire::Endpoint;
using wire::Family;

constexpr std::array limit_names{"max_tokens", "max_completion_tokens", "max_output_tokens"};

std::optional<ApiError> check_fields(const Body& body, Endpoint endpoint) {
  const bool anthropic = wire::route_of(endpoint).family == Family::anthropic;
  if (anthropic && !member(body, "model")) return missing_field("model", body);
  if (auto error = check_string(body, "model")) return error;
  if (auto error = check_bool(body, "stream")) return error;
  for (const auto* key : limit_names) {
    if (auto error = check_integer(body, key)) return error;
  }
  if (endpoint != Endpoint::messages) return std::nullopt;
  const auto* limit = member(body, "max_tokens");
  if (!limit) return missing_field("max_tokens", body);
  if (*limit < 1)
    return field_error("value_error", "max_tokens", "Value error, max_tokens must be positive", *limit);
  return std::nullopt;
}

void read_limit(const Body& body, TurnRequest& request) {
  const auto take = [&](const char* key) {
    const auto* value = member(body, key);
    if (!value) return;
    request.max_tokens = value->get<std::int64_t>();
    request.max_tokens_name = key;
  };
  if (request.endpoint == Endpoint::responses) return take("max_output_tokens");
  take("max_tokens");
  if (request.endpoint == Endpoint::chat_completions) take("max_completion_tokens");
  if (request.endpoint == Endpoint::messages) request.max_tokens_name = "max_completion_tokens";
}

void read_options(const Body& body, TurnRequest& request) {
  request.model = string_or_nothing(body, "model");
  request.stream = true_member(body, "stream");
  read_limit(body, request);
  if (request.endpoint == Endpoint::messages) return;
  request.ignore_eos = true_member(body, "ignore_eos");
  const auto* options = member(body, "stream_options");
  if (!options || !options->is_object()) return;
  request.include_usage = true_member(*options, "include_usage");
  request.continuous_usage_stats = request.include_usage && true_member(*options, "continuous_usage_stats");
}

std::optional<ApiError> read_input(const Body& body, TurnRequest& request) {
  if (request.endpoint == Endpoint::completions) {
    auto prompts = read_prompts(body);
    if (!prompts) return std::move(prompts.error());
    request.prompts = std::move(*prompts);
    return std::nullopt;
  }
  if (request.endpoint == Endpoint::responses) {
    if (const auto earlier = string_member(body, "previous_response_id"); !earlier.empty())
      return response_not_found(earlier);
    auto conversation = read_responses_input(body);
    if (!conversation) return std::move(conversation.error());
    request.conversation = std::move(*conversation);
    request.repeated = repeated_members(body);
    request.id = string_member(body, "request_id");
    return std::nullopt;
  }
  if (auto error = check_messages(body)) return error;
  request.conversation = read_conversation(body, wire::route_of(request.endpoint).family);
  return std::nullopt;
}

}  // namespace

std::expected<TurnRequest, ApiError> parse_turn(std::string_view text, Endpoint endpoint) {
  const auto body = read_body(text);
  if (!body) return std::unexpected(body.error());
  if (auto error = check_fields(*body, endpoint)) return std::unexpected(std::move(*error));
  TurnRequest request;
  request.endpoint = endpoint;
  if (auto error = read_input(*body, request)) return std::unexpected(std::move(*error));
  read_options(*body, request);
  return request;
}

std::expected<TokenizeRequest, ApiError> parse_tokenize(std::string_view text) {
  const auto body = read_body(text);
  if (!body) return std::unexpected(body.error());
  for (const auto* key : {"model", "prompt"}) {
    if (auto error = check_string(*body, key)) return std::unexpected(std::move(*error));
  }
  TokenizeRequest request;
  request.model = string_or_nothing(*body, "model");
  request.prompt = string_or_nothing(*body, "prompt");
  if (request.prompt) return request;
  if (auto error = check_messages(*body)) return std::unexpected(std::move(*error));
  request.conversation = read_conversation(*body, Family::openai);
  return request;
}

std::expected<DetokenizeRequest, ApiError> parse_detokenize(std::string_view text) {
  const auto body = read_body(text);
  if (!body) return std::unexpected(body.error());
  if (auto error = check_string(*body, "model")) return std::unexpected(std::move(*error));
  if (auto error = check_list(*body, "tokens")) return std::unexpected(std::move(*error));
  const auto& list = body->at("tokens");
  if (auto error = check_token_ids("tokens", list)) return std::unexpected(std::move(*error));
  auto tokens = read_tokens(list);
  if (!tokens) return std::unexpected(std::move(tokens.error()));
  return DetokenizeRequest{string_or_nothing(*body, "model"), std::move(*tokens)};
}

}  // namespace lmw::simulator
