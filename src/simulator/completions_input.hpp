// The prompts in a body of /v1/completions, and the tokens in one of /detokenize.
#pragma once

#include <vector>

#include "simulator/body.hpp"
#include "simulator/conversation.hpp"

namespace lmw::simulator {

// `prompt`: a text, token ids, or a list of either. At least one.
std::expected<std::vector<RawPrompt>, ApiError> read_prompts(const Body& body);

// Of a list that check_token_ids() has passed.
std::expected<std::vector<replica::Token>, ApiError> read_tokens(const Body& list);

}  // namespace lmw::simulator
