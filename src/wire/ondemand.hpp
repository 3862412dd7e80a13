// simdjson's on-demand reader as peek and usage use it. Internal: include it from .cpp files only, it is
// heavy.
//
// On demand means: what is skipped is checked for balance and UTF-8 only, never decoded and never recursed
// into. Nothing here throws; a structural fault comes back as an error code and ends the reading.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <simdjson.h>

namespace lmw::wire {

namespace ondemand = simdjson::ondemand;

// The member's key. Keys are written with escapes so rarely that only those are decoded; one that can't be is
// "".
inline std::string_view key_of(ondemand::field& field) {
  const char* raw = field.key().raw();
  std::size_t size = 0;
  while (raw[size] != '"' && raw[size] != '\\') ++size;  // the first pass has made sure of the closing quote
  if (raw[size] == '"') return {raw, size};
  std::string_view key;
  return field.unescaped_key().get(key) ? std::string_view() : key;
}

// Calls `visit(key, value)`, which returns an error code, for each member. Values not read are skipped.
template <class Visit>
simdjson::error_code each_member(ondemand::object& object, Visit visit) {
  for (auto member : object) {
    ondemand::field field;
    if (auto error = std::move(member).get(field)) return error;
    const std::string_view key = key_of(field);
    if (auto error = visit(key, field.value())) return error;
  }
  return simdjson::SUCCESS;
}

// The same for a value that may be something else than an object, and is skipped then.
template <class Visit>
simdjson::error_code each_member_of(ondemand::value& value, Visit visit) {
  ondemand::object object;
  if (auto error = value.get_object().get(object)) {
    return error == simdjson::INCORRECT_TYPE ? simdjson::SUCCESS : error;
  }
  return each_member(object, visit);
}

// Calls `visit(element)` for each element of a list; a value that is no list is skipped.
template <class Visit>
simdjson::error_code each_element_of(ondemand::value& value, Visit visit) {
  ondemand::array array;
  if (auto error = value.get_array().get(array)) {
    return error == simdjson::INCORRECT_TYPE ? simdjson::SUCCESS : error;
  }
  for (auto item : array) {
    ondemand::value element;
    if (auto error = std::move(item).get(element)) return error;
    if (auto error = visit(element)) return error;
  }
  return simdjson::SUCCESS;
}

// The token at which a value starts: all of a scalar, the bracket of a list or object. "" behind the end of a
// body that is cut short: there simdjson's length is below 0, in 32 bits.
inline std::string_view token_of(ondemand::value& value) {
  const std::string_view token = value.raw_json_token();
  if (token.size() > INT32_MAX) return {};
  std::size_t size = token.size();
  while (size > 0 && static_cast<unsigned char>(token[size - 1]) <= ' ') --size;
  return token.substr(0, size);
}

// Whether it is a string of at least one character, without decoding it.
inline bool is_non_empty_string(ondemand::value& value) {
  const std::string_view token = token_of(value);
  return token.size() > 2 && token[0] == '"';
}

// The text of a JSON string as it is written, without its quotes; nothing for other tokens.
inline std::optional<std::string_view> inside_of_string(std::string_view token) {
  if (token.size() < 2 || token.front() != '"' || token.back() != '"') return std::nullopt;
  return token.substr(1, token.size() - 2);
}

// The first line of such a text with its `\n`. (In `\\n` the backslash is escaped, and no line ends.)
inline std::string_view first_line_of(std::string_view inside) {
  for (std::size_t at = inside.find('\\'); at < inside.size(); at = inside.find('\\', at + 2)) {
    if (inside.substr(at, 2) == R"(\n)") return inside.substr(0, at + 2);
  }
  return inside;
}

// Decoded; nothing for other types, for text that is no Unicode (a lone surrogate), and for "".
inline std::optional<std::string> text_of(ondemand::value& value) {
  std::string_view text;
  if (value.get_string().get(text) || text.empty()) return std::nullopt;
  return std::string(text);
}

}  // namespace lmw::wire
