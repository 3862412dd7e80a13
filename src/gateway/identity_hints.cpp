#include "gateway/identity_hints.hpp"

namespace lmw::gateway {

namespace {

std::string_view text_of(const std::optional<std::string>& field) {
  return field ? std::string_view(*field) : std::string_view();
}

}  // namespace

routing::IdentityHints identity_hints(const wire::Headers& headers, const wire::Peek* peek) {
  const auto header = [&](std::string_view name) { return headers.find(name).value_or(std::string_view()); };
  routing::IdentityHints hints{
      .claude_session = header("x-claude-code-session-id"),
      .claude_agent = header("x-claude-code-agent-id"),
      .claude_parent_agent = header("x-claude-code-parent-agent-id"),
      .codex_thread = header("thread-id"),
      .codex_session = header("session-id"),
      .codex_session_old = header("session_id"),
      .codex_parent_thread = header("x-codex-parent-thread-id"),
      .codex_window = header("x-codex-window-id"),
      .session = header("x-session-id"),
      .session_affinity = header("x-session-affinity"),
      .parent_session = header("x-parent-session-id"),
  };
  if (peek) {
    hints.metadata_session = text_of(peek->metadata_session);
    hints.prompt_cache_key = text_of(peek->prompt_cache_key);
    hints.user = text_of(peek->user);
  }
  if (!peek || peek->fingerprint.identity() == 0) hints.request_id = header("x-client-request-id");
  return hints;
}

}  // namespace lmw::gateway
