#include "config/text_checks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/url.hpp"

namespace lmw::config {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

Result<void> check_word(std::string_view text, std::string_view words) {
  constexpr std::string_view separator = ", ";
  for (auto rest = words; !rest.empty();) {
    const auto end = std::min(rest.find(separator), rest.size());
    if (rest.substr(0, end) == text) return {};
    rest.remove_prefix(std::min(end + separator.size(), rest.size()));
  }
  return failure(fmt::format("'{}' is not one of {}", text, words));
}

}  // namespace

Result<void> check_listen(std::string_view text) {
  const auto address = parse_listen(text);
  if (!address) return std::unexpected(address.error());
  return {};
}

Result<void> check_admission(std::string_view text) { return check_word(text, admissions); }

Result<void> check_model_admission(std::string_view text) {
  return text.empty() ? Result<void>{} : check_admission(text);
}

Result<void> check_log_level(std::string_view text) { return check_word(text, log_levels); }

Result<void> check_engine_url(std::string_view text) {
  const auto origin = parse_origin(text);
  if (!origin) return failure(fmt::format("'{}': {}", text, origin.error().message));
  // The habit of OpenAI clients; here it would ask the engine for /v1/v1/...
  if (origin->base_path.ends_with("/v1")) return failure("leave out /v1: the clients' paths begin with it");
  return {};
}

Result<void> check_name(std::string_view text) {
  if (text.empty()) return failure("must not be empty");
  if (std::ranges::any_of(text, is_control)) return failure("must not hold control characters");
  return {};
}

Result<void> check_key(std::string_view text) {
  const auto fits = [](char c) { return c > ' ' && c < 0x7f; };
  if (!std::ranges::all_of(text, fits)) return failure("must be visible ASCII characters without spaces");
  return {};
}

Result<void> check_token(std::string_view text) {
  constexpr std::size_t least = 16;
  if (!text.empty() && text.size() < least) return failure("must have at least 16 characters");
  return check_key(text);
}

Result<void> check_folder(std::string_view text) {
  if (std::ranges::any_of(text, is_control)) return failure("must not hold control characters");
  return {};
}

}  // namespace lmw::config
