#include "wire/user_id.hpp"

#include "wire/ondemand.hpp"

namespace lmw::wire {

namespace {

// `{"session_id": ...}`, as Claude Code writes it into a string.
std::optional<std::string> session_of_json(std::string_view text) {
  const simdjson::padded_string copy(text);
  ondemand::parser parser;
  ondemand::document document;
  ondemand::object object;
  if (parser.iterate(copy).get(document) || document.get_object().get(object)) return std::nullopt;
  std::optional<std::string> session;
  const auto error = each_member(object, [&](std::string_view key, ondemand::value& value) {
    if (key == "session_id") session = text_of(value);
    return simdjson::SUCCESS;
  });
  return error ? std::nullopt : session;
}

}  // namespace

std::optional<std::string> session_of_user_id(std::string_view user_id) {
  if (user_id.starts_with('{')) return session_of_json(user_id);
  constexpr std::string_view mark = "_session_";
  const auto account = user_id.find("_account_");
  const auto session = user_id.rfind(mark);
  if (!user_id.starts_with("user_") || account == user_id.npos || session == user_id.npos)
    return std::nullopt;
  const std::string_view id = user_id.substr(session + mark.size());
  if (session < account || id.empty()) return std::nullopt;
  return std::string(id);
}

}  // namespace lmw::wire
