// Which conversation a turn belongs to. The unit is what shares one prefix: one agent, not one session. So an
// identity has two levels: the group (session) and the member (agent or thread) in it. Measured on the real
// clients: sub-agents of Claude Code and Codex keep the session id of their parent and share almost none of
// its prefix.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lmw::routing {

// What a request says of itself; "" = absent. Views must outlive the Identity made of them.
struct IdentityHints {
  // Claude Code: X-Claude-Code-Session-Id, -Agent-Id, -Parent-Agent-Id.
  std::string_view claude_session, claude_agent, claude_parent_agent;
  // Codex: thread-id, session-id (or session_id), x-codex-parent-thread-id, x-codex-window-id.
  std::string_view codex_thread, codex_session, codex_session_old, codex_parent_thread, codex_window;
  // opencode and others: X-Session-Id, x-session-affinity, x-parent-session-id.
  std::string_view session, session_affinity, parent_session;
  // Body: the session in metadata.user_id, prompt_cache_key, user.
  std::string_view metadata_session, prompt_cache_key, user;
  // x-client-request-id of a request without any text, which nothing else could tell from others.
  std::string_view request_id;
};

// Where the key came from; shown, and never part of the key: one session id in two places is one
// conversation.
enum class KeySource {
  claude_code,
  codex,
  session_header,
  metadata,
  prompt_cache_key,
  user,
  content,     // no id: the prompt itself
  request_id,  // neither id nor text: x-client-request-id
  none
};

std::string_view name_of(KeySource source);

struct Identity {
  KeySource source = KeySource::none;
  std::string_view group;   // "" only with `none`
  std::string_view member;  // "" = the main one of its group
  // The member that started this one ("" = the main one); nothing for a main one.
  std::optional<std::string_view> parent;
  // A number that goes up when the client has replaced the history, so that the old prefix is of no more use.
  std::optional<std::uint64_t> window;
  // A client whose conversations always carry tools (Claude Code; opencode's `ses_` ids): what it sends
  // without any is a request beside the conversation.
  bool always_has_tools = false;
};

// The first source whose id is present and valid.
Identity identify(const IdentityHints& hints);

// 1 to 128 characters of [A-Za-z0-9_.:-].
bool is_valid_id(std::string_view id);

}  // namespace lmw::routing
