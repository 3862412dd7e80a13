// “Did you mean …?” for names that a person mistyped.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lmw::config {

// The candidate with the fewest edits from `word` to it, or to what follows its last dot; nothing where none
// is close.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace lmw::config
