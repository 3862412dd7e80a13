#include "config/value.hpp"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/quantity.hpp"

namespace lmw::config {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

template <class T>
constexpr bool is_duration = std::same_as<T, milliseconds> || std::same_as<T, seconds>;

// The type inside an optional field.
template <class T>
struct Inner {
  using type = T;
};
template <class T>
struct Inner<std::optional<T>> {
  using type = T;
};
template <class T>
using inner = typename Inner<T>::type;

template <class T>
std::string_view kind(const Rule& rule) {
  if (!rule.kind.empty()) return rule.kind;
  if constexpr (std::same_as<T, bool>) return "true or false";
  if constexpr (std::same_as<T, double>) return "number";
  if constexpr (std::integral<T>) return "whole number";
  if constexpr (is_duration<T>) return "duration";
  if constexpr (std::same_as<T, std::string>) return "text";
  if constexpr (std::same_as<T, std::vector<std::string>>) return "list of texts";
}

std::string show(const Value& value) {
  return std::visit(Overloaded{
                        [](const std::string& text) { return text; },
                        [](const std::vector<std::string>&) -> std::string { return "a list"; },
                        [](const Unfit& unfit) { return std::string(unfit.what); },
                        [](auto scalar) { return fmt::format("{}", scalar); },
                    },
                    value);
}

template <class T>
std::unexpected<Error> wanted(const Rule& rule, const Value& value) {
  if (rule.is_secret) return failure(fmt::format("expected: {}", kind<T>(rule)));
  return failure(fmt::format("expected: {}; got '{}'", kind<T>(rule), show(value)));
}

// A number with the unit that people would use for it.
template <class T>
std::string show_number(const Rule& rule, auto number) {
  if (is_duration<T>) return format_duration(milliseconds(static_cast<std::int64_t>(number)));
  if (rule.is_size) return format_size(static_cast<std::uint64_t>(number));
  return fmt::format("{}", number);
}

template <class T>
std::string range(const Rule& rule) {
  return fmt::format("{} to {}", show_number<T>(rule, rule.low), show_number<T>(rule, rule.high));
}

// Milliseconds, bytes, or the bare number.
template <class T>
Result<std::int64_t> whole_number(const Rule& rule, const Value& value) {
  if constexpr (is_duration<T>) {
    const auto duration = parse_duration(show(value));
    if (!duration) return std::unexpected(duration.error());
    if (*duration % T(1) != milliseconds(0)) return failure("expected: whole seconds");
    return duration->count();
  }
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  const auto* text = std::get_if<std::string>(&value);
  if (!text || !rule.is_size) return wanted<T>(rule, value);
  const auto size = parse_size(*text);
  if (!size) return std::unexpected(size.error());
  return static_cast<std::int64_t>(*size);
}

Result<double> any_number(const Rule& rule, const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  return wanted<double>(rule, value);
}

template <class T>
Result<T> in_range(const Rule& rule, auto number) {
  const auto size = static_cast<double>(number);
  const bool inside = size >= rule.low && size <= rule.high;  // false for NaN too
  if (!inside) {
    return failure(fmt::format("{} is out of range: {}", show_number<T>(rule, number), range<T>(rule)));
  }
  if constexpr (is_duration<T>) {
    return std::chrono::duration_cast<T>(milliseconds(number));
  } else {
    return static_cast<T>(number);
  }
}

template <class T>
Result<T> read(const Rule& rule, const Value& value) {
  if constexpr (std::same_as<T, bool>) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag;
    return wanted<T>(rule, value);
  } else if constexpr (std::same_as<T, double>) {
    const auto number = any_number(rule, value);
    if (!number) return std::unexpected(number.error());
    return in_range<T>(rule, *number);
  } else {
    const auto number = whole_number<T>(rule, value);
    if (!number) return std::unexpected(number.error());
    return in_range<T>(rule, *number);
  }
}

template <class T>
Result<void> store(const Rule& rule, const Value& value, T& target) {
  auto result = read<inner<T>>(rule, value);
  if (!result) return std::unexpected(std::move(result.error()));
  target = *result;
  return {};
}

Result<void> store(const Rule& rule, const Value& value, std::string& target) {
  const auto* text = std::get_if<std::string>(&value);
  if (!text) return wanted<std::string>(rule, value);
  target = *text;
  return rule.check ? rule.check(*text) : Result<void>{};
}

Result<void> store(const Rule& rule, const Value& value, std::vector<std::string>& target) {
  const auto* list = std::get_if<std::vector<std::string>>(&value);
  if (!list) return wanted<std::vector<std::string>>(rule, value);
  target = *list;
  for (const auto& text : *list) {
    if (auto checked = rule.check ? rule.check(text) : Result<void>{}; !checked) return checked;
  }
  return {};
}

template <class T>
std::optional<T> number_from(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<std::string> split_list(std::string_view text) {
  constexpr auto blank = " \t";
  std::vector<std::string> result;
  while (true) {
    const auto comma = std::min(text.find(','), text.size());
    const auto piece = text.substr(0, comma);
    const auto first = std::min(piece.find_first_not_of(blank), piece.size());
    result.emplace_back(piece.substr(first, piece.find_last_not_of(blank) + 1 - first));
    if (comma == text.size()) return result;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

Result<void> assign(const Rule& rule, Field field, const Value& value) {
  return std::visit([&](auto* target) { return store(rule, value, *target); }, field);
}

Value from_text(Field field, std::string_view text) {
  const auto parse = [text]<class T>(const T*) -> Value {
    if constexpr (std::same_as<inner<T>, bool>) {
      if (text == "on" || text == "true") return true;
      if (text == "off" || text == "false") return false;
    } else if constexpr (std::same_as<inner<T>, double>) {
      if (const auto number = number_from<double>(text)) return *number;
    } else if constexpr (std::integral<inner<T>>) {
      if (const auto number = number_from<std::int64_t>(text)) return *number;
    } else if constexpr (std::same_as<T, std::vector<std::string>>) {
      return split_list(text);
    }
    return std::string(text);
  };
  return std::visit(parse, field);
}

std::optional<std::string> to_toml(const Rule& rule, Field field) {
  return std::visit(
      Overloaded{
          [&](const std::string* text) -> std::optional<std::string> {
            return quote(rule.is_secret && !text->empty() ? "********" : *text);
          },
          [](const std::vector<std::string>* list) -> std::optional<std::string> {
            std::vector<std::string> quoted;
            for (const auto& text : *list) quoted.push_back(quote(text));
            return fmt::format("[{}]", fmt::join(quoted, ", "));
          },
          [&](const std::uint64_t* number) -> std::optional<std::string> {
            return rule.is_size ? quote(format_size(*number)) : fmt::format("{}", *number);
          },
          [](const milliseconds* duration) -> std::optional<std::string> {
            return quote(format_duration(*duration));
          },
          [](const seconds* duration) -> std::optional<std::string> {
            return quote(format_duration(*duration));
          },
          []<class T>(const std::optional<T>* maybe) -> std::optional<std::string> {
            return *maybe ? std::optional(fmt::format("{}", **maybe)) : std::nullopt;
          },
          [](const auto* scalar) -> std::optional<std::string> { return fmt::format("{}", *scalar); },
      },
      field);
}

std::string describe(const Rule& rule, Field field) {
  return std::visit(
      [&]<class T>(const T*) {
        const auto name = kind<inner<T>>(rule);
        return rule.high > rule.low ? fmt::format("{}, {}", name, range<inner<T>>(rule)) : std::string(name);
      },
      field);
}

std::string quote(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\u{:04X}", c);
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace lmw::config
