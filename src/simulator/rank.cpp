#include "simulator/rank.hpp"

#include <limits>

namespace lmw::simulator {

namespace {
constexpr std::string_view python_space = " \t\n\r\f\v";

std::string_view stripped(std::string_view text) {
  const auto begin = text.find_first_not_of(python_space);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(python_space) + 1 - begin);
}

}  // namespace

std::optional<std::int64_t> parse_rank(std::string_view header) {
  auto text = stripped(header);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  std::int64_t value = 0;
  bool after_digit = false;
  for (const char c : text) {
    if (c == '_' && after_digit) {
      after_digit = false;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    after_digit = true;
    value = value > (largest - 9) / 10 ? largest : value * 10 + (c - '0');
  }
  if (!after_digit) return std::nullopt;
  return negative ? -value : value;
}

}  // namespace lmw::simulator
