// Errors in the shapes of vLLM 0.32 (docs: measured engine facts), which differ from those that OpenAI and
// Anthropic document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "wire/api.hpp"

namespace lmw::simulator {

struct ApiError {
  int status = 400;
  std::string type;  // vLLM's name, in both families
  std::string message;
  std::optional<std::string> param;  // OpenAI shape only
  bool validation = false;           // of the body: comes in the OpenAI shape from /v1/messages too
};

// `detail` is pydantic's text of one error.
ApiError validation_error(std::string detail, std::optional<std::string> param);
ApiError bad_request(std::string message, std::optional<std::string> param = std::nullopt);
// Names the parameter in its text too.
ApiError bad_parameter(std::string_view message, std::string_view param);
ApiError model_not_found(std::string_view model, std::string_view served);
// Nothing is stored, as by default.
ApiError response_not_found(std::string_view id);
ApiError empty_conversation();
// Of a prompt that fills the context, of `limit` tokens, or more than that.
ApiError prompt_too_long(std::int64_t limit);
// Of `param`, the limit of an answer, where it is below one or more than the context of `limit` tokens.
ApiError output_too_short(std::int64_t tokens);
ApiError output_too_long(std::string_view param, std::int64_t tokens, std::int64_t limit);
// What --max-num-queued-reqs answers.
ApiError engine_busy();
ApiError rank_out_of_range(std::int64_t rank, int replicas);

std::string error_body(const ApiError& error, wire::Family family);
// The whole stream of a turn that failed after the engine took it: an event, and what the family sends after
// it.
std::string error_stream(const ApiError& error, wire::Family family);

}  // namespace lmw::simulator
