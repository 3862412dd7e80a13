#include "simulator/rank.hpp"

#include <charconv>
#include <limits>
#include <utility>

namespace lmw::simulator {

namespace {
constexpr std::string_view python_space = " \t\n\r\f\v";

std::string_view stripped(std::string_view text) {
  const auto begin = text.find_first_not_of(python_space);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(python_space) + 1 - begin);
}

// Major and minor; zeros for what is no number.
std::pair<int, int> version_of(std::string_view text) {
  std::pair<int, int> version;
  const auto* end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.first);
  if (major.ptr != end) std::from_chars(major.ptr + 1, end, version.second);
  return version;
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

bool heeds_rank(std::string_view engine_version, wire::Endpoint endpoint) {
  return endpoint != wire::Endpoint::responses || version_of(engine_version) >= std::pair(0, 33);
}

}  // namespace lmw::simulator
