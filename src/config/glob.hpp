// Patterns of names: `*` is any run of bytes, `?` any one byte, everything else itself.
#pragma once

#include <cstddef>
#include <string_view>

namespace lmw::config {

// Whether the pattern matches the whole text. At most pattern × text steps, whatever the pattern: a `*` that
// has found its place is never moved again once a later `*` is reached.
constexpr bool glob_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  std::size_t after_star = std::string_view::npos;  // where the pattern goes on after the last `*`
  std::size_t star_end = 0;                         // where that `*` ends in the text, so far
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      after_star = ++p;
      star_end = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (after_star != std::string_view::npos) {
      p = after_star;
      t = ++star_end;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace lmw::config
