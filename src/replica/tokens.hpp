// A stand-in for a tokenizer: deterministic, about four bytes a token for prose and code, and stable under
// concatenation at piece borders, so that a reply which is sent back is the same tokens that were generated.
//
// A token is, greedily from the left: a space (optional) and up to 6 letters; a space (optional) and up to 3
// marks; up to 3 digits; up to 16 spaces, where the last one before a letter or a mark goes with that; or up
// to 4 of newline, return and tab. Bytes above 127 count as letters, whatever they encode. " word" is thus
// one token after any text, as long as no letter follows.
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
