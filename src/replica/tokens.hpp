// A stand-in for a tokenizer: deterministic, about four bytes a token for prose and code, and stable under
// concatenation at piece borders, so that a reply which is sent back is the same tokens that were generated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"

namespace lmw::replica {

using Token = std::uint32_t;

void append_tokens(std::string_view text, std::vector<Token>& out);
std::size_t count_tokens(std::string_view text);

// A piece of text that is exactly one token whatever stands before it (a space and a short word).
std::string_view random_word(Random& random);

}  // namespace lmw::replica
