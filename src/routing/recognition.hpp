// What is known of a turn before it is routed: the conversation it belongs to, by its client's ids or else by
// its prompt, where a prefix of its prompt may be cached, and whether the old one is of any more use.
#pragma once

#include <optional>
#include <string_view>

#include "routing/conversation_table.hpp"
#include "routing/prompt_index.hpp"

namespace lmw::routing {

// What routing may know of a turn.
struct TurnFacts {
  std::optional<TurnKey> key;
  KeySource source = KeySource::none;
  std::optional<std::uint64_t> window;
  bool has_tools = false;
  bool side = false;                            // see is_side_request
  bool is_response = false;                     // to /v1/responses, where some engines ignore ranks
  std::optional<std::string_view> rank_header;  // the client's own X-data-parallel-rank
  const Fingerprint* prompt = nullptr;          // nothing: it could not be read
  std::uint64_t bytes = 0;                      // of its body
  std::uint64_t head = 0;   // fingerprint of what conversations share: system prompt and tools
  std::uint64_t salt = 0;   // of keys that are made of prompts
  std::string_view client;  // its name and version, for people to read
};

// A request beside a conversation, such as the title that Claude Code and opencode ask for: small, without
// tools, few messages, from a client whose conversations have tools. It must not place the session by its 4
// kB.
bool is_side_request(const Identity& identity, std::size_t tools, std::size_t messages,
                     std::size_t body_bytes);

struct Recognition {
  std::optional<TurnKey> key;
  KeySource source = KeySource::none;
  bool side = false;
  // The client has replaced its history: the prefix that home keeps is of no more use.
  bool replaced = false;
  // A new conversation whose prompt begins as that of another one: a fork, or a sub-agent with the same task
  // as another.
  std::optional<ConversationKey> alike;
  std::optional<PromptBreak> broken;
};

class Recogniser {
 public:
  Recogniser(const ConversationTable& table, const PromptIndex& prompts) : table_(table), prompts_(prompts) {}

  Recognition recognise(const TurnFacts& turn);

 private:
  void by_prompt(const TurnFacts& turn, Recognition& result);
  void compare(const TurnFacts& turn, const Conversation& known, Recognition& result) const;
  std::optional<ConversationKey> alike(const TurnFacts& turn) const;

  const ConversationTable& table_;
  const PromptIndex& prompts_;
  std::uint64_t made_ = 0;  // keys of conversations without ids
};

}  // namespace lmw::routing
