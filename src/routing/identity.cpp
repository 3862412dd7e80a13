#include "routing/identity.hpp"

#include <algorithm>
#include <charconv>

namespace lmw::routing {

namespace {

constexpr std::size_t max_id = 128;
// Names of people stand in `user` too; an opaque id is longer.
constexpr std::size_t min_user_id = 8;

bool is_id_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == ':' || c == '-';
}

std::string_view valid_or_empty(std::string_view id) { return is_valid_id(id) ? id : std::string_view(); }

// The id, or nothing when it names the main one itself.
std::string_view member_of(std::string_view group, std::string_view id) {
  const auto valid = valid_or_empty(id);
  return valid == group ? std::string_view() : valid;
}

std::optional<std::uint64_t> window_number(std::string_view window) {
  const auto colon = window.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto digits = window.substr(colon + 1);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

Identity claude_code(const IdentityHints& hints) {
  Identity id{.source = KeySource::claude_code, .group = hints.claude_session, .always_has_tools = true};
  id.member = member_of(id.group, hints.claude_agent);
  if (!id.member.empty()) id.parent = member_of(hints.claude_session, hints.claude_parent_agent);
  return id;
}

Identity codex(std::string_view session, std::string_view thread, const IdentityHints& hints) {
  Identity id{.source = KeySource::codex,
              .group = session.empty() ? thread : session,
              .window = window_number(hints.codex_window)};
  id.member = member_of(id.group, thread);
  if (is_valid_id(hints.codex_parent_thread)) id.parent = member_of(id.group, hints.codex_parent_thread);
  return id;
}

Identity session_header(std::string_view session, const IdentityHints& hints) {
  Identity id{
      .source = KeySource::session_header, .group = session, .always_has_tools = session.starts_with("ses_")};
  if (const auto parent = valid_or_empty(hints.parent_session); !parent.empty() && parent != session) {
    id.group = parent;
    id.member = session;
    id.parent = std::string_view();
  }
  return id;
}

}  // namespace

bool is_valid_id(std::string_view id) {
  return !id.empty() && id.size() <= max_id && std::ranges::all_of(id, is_id_char);
}

std::string_view name_of(KeySource source) {
  switch (source) {
    case KeySource::claude_code:
      return "claude-code";
    case KeySource::codex:
      return "codex";
    case KeySource::session_header:
      return "session-header";
    case KeySource::metadata:
      return "metadata";
    case KeySource::prompt_cache_key:
      return "prompt-cache-key";
    case KeySource::user:
      return "user";
    case KeySource::content:
      return "content";
    case KeySource::request_id:
      return "request-id";
    case KeySource::none:
      return "none";
  }
  return "";
}

Identity identify(const IdentityHints& hints) {
  if (is_valid_id(hints.claude_session)) return claude_code(hints);

  const auto thread = valid_or_empty(hints.codex_thread);
  const auto codex_session =
      is_valid_id(hints.codex_session) ? hints.codex_session : valid_or_empty(hints.codex_session_old);
  if (!thread.empty() || !codex_session.empty()) return codex(codex_session, thread, hints);

  const auto session = is_valid_id(hints.session) ? hints.session : valid_or_empty(hints.session_affinity);
  if (!session.empty()) return session_header(session, hints);

  if (is_valid_id(hints.metadata_session))
    return {.source = KeySource::metadata, .group = hints.metadata_session};
  if (is_valid_id(hints.prompt_cache_key)) {
    return {.source = KeySource::prompt_cache_key, .group = hints.prompt_cache_key};
  }
  if (is_valid_id(hints.user) && hints.user.size() >= min_user_id) {
    return {.source = KeySource::user, .group = hints.user};
  }
  if (is_valid_id(hints.request_id)) return {.source = KeySource::request_id, .group = hints.request_id};
  return {};
}

}  // namespace lmw::routing
