#include "config/quantity.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <span>

#include <fmt/format.h>

namespace lmw::config {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

// Largest first, which is how they are looked for when a quantity is written out.
constexpr std::array durations = {Unit{"h", 3'600'000}, Unit{"m", 60'000}, Unit{"s", 1'000}, Unit{"ms", 1}};
constexpr std::array sizes = {Unit{"GiB", 1 << 30}, Unit{"MiB", 1 << 20}, Unit{"KiB", 1 << 10}, Unit{"B", 1}};

// Nothing where it is not a whole number and one of the units, or too large to hold.
std::optional<std::int64_t> parse(std::string_view text, std::span<const Unit> units) {
  if (text.starts_with('-')) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  const auto name = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const auto& unit : units) {
    if (name != unit.name) continue;
    if (number > std::numeric_limits<std::int64_t>::max() / unit.factor) return std::nullopt;
    return number * unit.factor;
  }
  return std::nullopt;
}

std::string format(std::int64_t number, std::span<const Unit> units) {
  for (const auto& unit : units) {
    if (number % unit.factor == 0 && number != 0) return fmt::format("{}{}", number / unit.factor, unit.name);
  }
  return fmt::format("0{}", units.back().name);
}

}  // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto number = parse(text, durations);
  if (!number) return failure(fmt::format("'{}' is not a duration such as 500ms, 4s, 30m or 24h", text));
  return std::chrono::milliseconds(*number);
}

Result<std::uint64_t> parse_size(std::string_view text) {
  constexpr auto digits = "0123456789";
  const bool bare = !text.empty() && text.find_first_not_of(digits) == std::string_view::npos;
  const auto number = bare ? parse(std::string(text) + "B", sizes) : parse(text, sizes);
  if (!number) return failure(fmt::format("'{}' is not a size such as 65536, 64KiB or 64MiB", text));
  return static_cast<std::uint64_t>(*number);
}

std::string format_duration(std::chrono::milliseconds duration) {
  return format(duration.count(), durations);
}

std::string format_size(std::uint64_t bytes) { return format(static_cast<std::int64_t>(bytes), sizes); }

}  // namespace lmw::config
