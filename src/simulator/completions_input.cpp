#include "simulator/completions_input.hpp"

#include <limits>

#include <fmt/format.h>

namespace lmw::simulator {

namespace {

std::expected<RawPrompt, ApiError> read_prompt(const Body& prompt, std::string_view where) {
  if (prompt.is_string()) return prompt.get<std::string>();
  if (!prompt.is_array()) return std::unexpected(wrong_list(where, prompt));
  if (auto error = check_token_ids(where, prompt)) return std::unexpected(std::move(*error));
  return read_tokens(prompt);
}

}  // namespace

std::expected<std::vector<replica::Token>, ApiError> read_tokens(const Body& list) {
  std::vector<replica::Token> tokens;
  tokens.reserve(list.size());
  for (const auto& id : list) {
    if (id > std::numeric_limits<replica::Token>::max())
      return std::unexpected(bad_request(fmt::format("Token id {} is out of vocabulary", normal_text(id))));
    tokens.push_back(id.get<replica::Token>());
  }
  return tokens;
}

std::expected<std::vector<RawPrompt>, ApiError> read_prompts(const Body& body) {
  const auto* prompt = member(body, "prompt");
  if (!prompt || *prompt == "") {
    return std::unexpected(
        bad_parameter("Either prompt or prompt_embeds must be provided and non-empty.", "prompt"));
  }
  const bool several = prompt->is_array() && !prompt->empty() && !prompt->front().is_number();
  if (prompt->is_array() && prompt->empty())
    return std::unexpected(bad_request("You must pass at least one prompt"));
  const Body list = several ? *prompt : Body::array({*prompt});
  std::vector<RawPrompt> prompts;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto read = read_prompt(list[i], several ? fmt::format("prompt.{}", i) : "prompt");
    if (!read) return std::unexpected(std::move(read.error()));
    prompts.push_back(std::move(*read));
  }
  return prompts;
}

}  // namespace lmw::simulator
