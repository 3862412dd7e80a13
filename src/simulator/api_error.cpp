#include "simulator/api_error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmw::simulator {

namespace {
using Json = nlohmann::ordered_json;

Json openai_error(const ApiError& error) {
  Json body;
  body["error"] = {{"message", error.message},
                   {"type", error.type},
                   {"param", error.param ? Json(*error.param) : Json()},
                   {"code", error.status}};
  return body;
}

ApiError bad_value(std::string_view message, std::string_view param, std::int64_t value) {
  return bad_request(fmt::format("{} (parameter={}, value={})", message, param, value), std::string(param));
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

ApiError validation_error(std::string detail, std::optional<std::string> param) {
  return {400, "Bad Request", "1 validation error:\n  " + std::move(detail), std::move(param), true};
}

ApiError bad_request(std::string message, std::optional<std::string> param) {
  return {400, "BadRequestError", std::move(message), std::move(param)};
}

ApiError bad_parameter(std::string_view message, std::string_view param) {
  return bad_request(fmt::format("{} (parameter={})", message, param), std::string(param));
}

ApiError model_not_found(std::string_view model, std::string_view served) {
  return {404, "NotFoundError",
          fmt::format("The model `{}` does not exist. Valid aliases: {}.", model, served), "model"};
}

ApiError response_not_found(std::string_view id) {
  return {404, "invalid_request_error", fmt::format("Response with id '{}' not found.", id), "response_id"};
}

ApiError empty_conversation() {
  return bad_request("Cannot apply chat template to an empty conversation. Provide at least one message.");
}

ApiError prompt_too_long(std::int64_t limit) {
  return bad_value(
      fmt::format("This model's maximum context length is {} tokens. However, your prompt contains at "
                  "least {} input tokens, which exceeds this limit even without any output tokens. "
                  "Please reduce the length of the input prompt.",
                  limit, limit + 1),
      "input_tokens", limit + 1);
}

ApiError output_too_short(std::int64_t tokens) {
  return bad_value(fmt::format("max_tokens must be at least 1, got {}.", tokens), "max_tokens", tokens);
}

ApiError output_too_long(std::string_view param, std::int64_t tokens, std::int64_t limit) {
  return bad_value(
      fmt::format("{}={} cannot be greater than max_model_len={}. Please request fewer output tokens.", param,
                  tokens, limit),
      param, tokens);
}

ApiError engine_busy() {
  return {503, "Service Unavailable",
          "The engine is currently busy and cannot accept new requests. Please try again later or on a "
          "different instance.",
          std::nullopt};
}

ApiError rank_out_of_range(std::int64_t rank, int replicas) {
  return bad_request(fmt::format("data_parallel_rank {} is out of range [0, {}).", rank, replicas));
}

std::string error_body(const ApiError& error, wire::Family family) {
  if (family != wire::Family::anthropic || error.validation) return text_of(openai_error(error));
  Json body;
  body["type"] = "error";
  body["error"] = {{"type", error.type}, {"message", error.message}};
  return text_of(body);
}

std::string error_stream(const ApiError& error, wire::Family family) {
  const std::string openai = text_of(openai_error(error));
  if (family != wire::Family::anthropic) return "data: " + openai + "\n\ndata: [DONE]\n\n";
  // vLLM 0.32 fails to parse its own error chunk as a chat chunk, and reports that failure.
  std::string message = "2 validation errors for ChatCompletionStreamResponse";
  for (const auto* field : {"model", "choices"}) {
    message +=
        fmt::format("\n{}\n  Field required [type=missing, input_value={}, input_type=dict]", field, openai);
  }
  Json body;
  body["type"] = "error";
  body["error"] = {{"type", "internal_error"}, {"message", message}};
  return "event: error\ndata: " + text_of(body) + "\n\n";
}

}  // namespace lmw::simulator
