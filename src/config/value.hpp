// One setting's value on its way between text and Config: read by the type of its field and checked by its
// rule.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace lmw::config {

// What no setting can be, in words: "a date".
struct Unfit {
  std::string_view what;
};
using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>, Unfit>;

// Where a value is kept. The type pointed to says what it may be; `milliseconds` and `seconds` are durations.
using Field = std::variant<bool*, std::optional<bool>*, double*, std::optional<double>*, std::uint64_t*,
                           std::optional<int>*, std::optional<std::int64_t>*, std::chrono::milliseconds*,
                           std::chrono::seconds*, std::string*, std::vector<std::string>*>;

// What is allowed beyond the type.
struct Rule {
  std::string_view kind;  // in words, where the type alone does not say it: "size"
  double low = 0;         // of numbers, both included; durations in milliseconds
  double high = 0;
  Result<void> (*check)(std::string_view) = nullptr;  // of a text, or of each text of a list
  bool is_size = false;                               // bytes: a text with a unit will do
  bool is_secret = false;                             // never shown, also not in errors
};

// Stores the value if it is one that the field and the rule allow, else says what is wrong with it. A text
// that only its rule refuses is stored too, so that what refers to it still finds it.
Result<void> assign(const Rule& rule, Field field, const Value& value);

// The value meant by a text without types, from the environment or a flag: on/off, numbers, lists with
// commas. Where it can't be what the field holds it stays a text, which assign() then refuses.
Value from_text(Field field, std::string_view text);

// As TOML has it; nothing for an optional that is not set. Secrets are masked.
std::optional<std::string> to_toml(const Rule& rule, Field field);

// What may be given, in words: "duration, 1ms to 24h".
std::string describe(const Rule& rule, Field field);

// A TOML string.
std::string quote(std::string_view text);

}  // namespace lmw::config
