#include "simulator/lookups.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "simulator/prompt.hpp"
#include "simulator/request.hpp"
#include "wire/http_message.hpp"

namespace lmw::simulator {

namespace {
using Json = nlohmann::ordered_json;

Response json_response(const Json& body) { return {200, "application/json", body.dump()}; }

}  // namespace

Response error_response(const ApiError& error, wire::Family family) {
  return {error.status, "application/json", error_body(error, family)};
}

Response detail_response(int status) {
  return {status, "application/json", Json{{"detail", wire::reason_phrase(status)}}.dump()};
}

std::optional<ApiError> check_model(const SimulatorOptions& options,
                                    const std::optional<std::string>& model) {
  if (!model || *model == options.model) return std::nullopt;
  return model_not_found(*model, options.model);
}

Response list_models(const SimulatorOptions& options, std::int64_t unix_now) {
  Json permission{{"id", "modelperm-0"},
                  {"object", "model_permission"},
                  {"created", unix_now},
                  {"allow_create_engine", false},
                  {"allow_sampling", true},
                  {"allow_logprobs", true},
                  {"allow_search_indices", false},
                  {"allow_view", true},
                  {"allow_fine_tuning", false},
                  {"organization", "*"},
                  {"group", nullptr},
                  {"is_blocking", false}};
  Json model{{"id", options.model},
             {"object", "model"},
             {"created", unix_now},
             {"owned_by", "vllm"},
             {"root", options.model},
             {"parent", nullptr},
             {"max_model_len", options.profile.max_model_len},
             {"permission", Json::array({std::move(permission)})}};
  return json_response({{"object", "list"}, {"data", Json::array({std::move(model)})}});
}

Response tell_version(const SimulatorOptions& options) {
  return json_response({{"version", options.engine_version}});
}

Response count_message_tokens(const SimulatorOptions& options, std::string_view body) {
  const auto request = parse_turn(body, wire::Endpoint::count_tokens);
  if (!request) return error_response(request.error(), wire::Family::anthropic);
  if (const auto error = check_model(options, request->model))
    return error_response(*error, wire::Family::anthropic);
  const auto count = render_prompt(request->conversation).size();
  return json_response({{"input_tokens", count}, {"context_management", {{"original_input_tokens", count}}}});
}

Response tokenize(const SimulatorOptions& options, std::string_view body) {
  const auto request = parse_tokenize(body);
  if (!request) return error_response(request.error(), wire::Family::openai);
  if (const auto error = check_model(options, request->model))
    return error_response(*error, wire::Family::openai);
  std::vector<replica::Token> tokens;
  if (request->prompt) {
    replica::append_tokens(*request->prompt, tokens);
  } else {
    tokens = render_prompt(request->conversation);
  }
  return json_response({{"count", tokens.size()},
                        {"max_model_len", options.profile.max_model_len},
                        {"tokens", tokens},
                        {"token_strs", nullptr}});
}

Response detokenize(const SimulatorOptions& options, std::string_view body) {
  const auto request = parse_detokenize(body);
  if (!request) return error_response(request.error(), wire::Family::openai);
  if (const auto error = check_model(options, request->model))
    return error_response(*error, wire::Family::openai);
  std::string text;
  for (const auto token : request->tokens) {
    Random random(token);
    text += replica::random_word(random);
  }
  return json_response({{"prompt", text}});
}

}  // namespace lmw::simulator
