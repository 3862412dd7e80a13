// Answers that need no replica: models, version, token counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simulator/api_error.hpp"
#include "simulator/options.hpp"

namespace lmw::simulator {

struct Response {
  int status = 200;
  std::string content_type = "application/json";  // "": none
  std::string body;
};

Response error_response(const ApiError& error, wire::Family family);
// FastAPI's own: {"detail":"Not Found"} and the like.
Response detail_response(int status);

Response list_models(const SimulatorOptions& options, std::int64_t unix_now);
Response tell_version(const SimulatorOptions& options);
Response count_message_tokens(const SimulatorOptions& options, std::string_view body);
Response tokenize(const SimulatorOptions& options, std::string_view body);
// Tokens can't be turned back into their text here: answers with a word for each of them.
Response detokenize(const SimulatorOptions& options, std::string_view body);

// The error of a model that is not served; a request without a model means the one that is.
std::optional<ApiError> check_model(const SimulatorOptions& options, const std::optional<std::string>& model);

}  // namespace lmw::simulator
