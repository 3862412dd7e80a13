// What the words of our prompts are to a model's tokenizer.
#pragma once

#include <string>

#include "engine/discovery.hpp"

namespace lmw::bench {

// By the engine's /tokenize; nothing where that does not answer as vLLM's.
net::awaitable<std::optional<double>> tokens_per_word(engine::Access access, std::string model);

}  // namespace lmw::bench
