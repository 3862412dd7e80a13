#include "wire/prometheus_text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace lmw::wire {
namespace {

void skip_spaces(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

bool skip(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// Up to the first of `stops`, or to the end.
std::string_view take_until(std::string_view& text, std::string_view stops) {
  const std::string_view taken = text.substr(0, std::min(text.find_first_of(stops), text.size()));
  text.remove_prefix(taken.size());
  return taken;
}

// `a\"b"` -> a"b, the closing quote taken too. An unknown escape stands for itself, backslash included.
std::optional<std::string> take_quoted(std::string_view& text) {
  std::string value;
  while (!text.empty()) {
    value += take_until(text, "\"\\");
    if (skip(text, '"')) return value;
    if (text.size() < 2) return std::nullopt;
    switch (text[1]) {
      case 'n':
        value += '\n';
        break;
      case '"':
        value += '"';
        break;
      case '\\':
        value += '\\';
        break;
      default:
        value += text.substr(0, 2);
    }
    text.remove_prefix(2);
  }
  return std::nullopt;
}

// `a="1",b="2"}`, a comma at the end allowed.
bool read_labels(std::string_view& text, Sample& sample) {
  for (;;) {
    skip_spaces(text);
    if (skip(text, '}')) return true;
    const bool quoted = skip(text, '"');  // version 1.0.0: names of any characters
    const std::string_view name = take_until(text, quoted ? "\"" : " \t=");
    if (name.empty() || (quoted && !skip(text, '"'))) return false;
    skip_spaces(text);
    if (!skip(text, '=')) return false;
    skip_spaces(text);
    if (!skip(text, '"')) return false;
    auto value = take_quoted(text);
    if (!value) return false;
    sample.labels.emplace_back(name, std::move(*value));
    skip_spaces(text);
    if (!skip(text, ',') && !text.starts_with('}')) return false;
  }
}

std::optional<double> number_of(std::string_view token) {
  if (token.starts_with('+')) token.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(token.begin(), token.end(), value);
  if (error != std::errc() || end != token.end()) return std::nullopt;
  return value;
}

// What follows the name: labels, a value, perhaps a timestamp.
bool read_rest(std::string_view rest, Sample& sample) {
  skip_spaces(rest);
  if (skip(rest, '{') && !read_labels(rest, sample)) return false;
  skip_spaces(rest);
  const auto value = number_of(take_until(rest, " \t"));
  if (!value) return false;
  sample.value = *value;
  skip_spaces(rest);
  if (rest.empty()) return true;
  const bool timestamp = number_of(take_until(rest, " \t")).has_value();
  skip_spaces(rest);
  return timestamp && rest.empty();
}

}  // namespace

std::string_view Sample::label(std::string_view label_name) const {
  for (const auto& [key, label_value] : labels) {
    if (key == label_name) return label_value;
  }
  return {};
}

Result<std::vector<Sample>> read_prometheus_text(std::string_view text,
                                                 const std::vector<std::string_view>& wanted) {
  std::vector<Sample> samples;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const bool whole = end != text.npos;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(whole ? end + 1 : text.size());
    if (line.ends_with('\r')) line.remove_suffix(1);

    skip_spaces(line);
    if (line.starts_with('#')) continue;
    const std::string_view name = take_until(line, "{ \t");
    if (std::ranges::find(wanted, name) == wanted.end()) continue;
    Sample sample{.name = name, .labels = {}, .value = 0};
    if (!whole) return failure(fmt::format("line {}: cut short ({})", number, name));
    if (!read_rest(line, sample))
      return failure(fmt::format("line {}: malformed sample of {}", number, name));
    samples.push_back(std::move(sample));
  }
  return samples;
}

}  // namespace lmw::wire
