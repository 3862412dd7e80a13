#include "routing/rank_header.hpp"

#include <charconv>

namespace lmw::routing {

std::optional<long> parse_rank(std::string_view text) {
  constexpr std::string_view space = " \t";
  const auto first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(space) - first + 1);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  long rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return rank;
}

}  // namespace lmw::routing
