#include "routing/recognition.hpp"

#include "base/random.hpp"

namespace lmw::routing {

namespace {

constexpr std::size_t side_bytes = 8u << 10;
constexpr std::size_t side_messages = 3;

}  // namespace

bool is_side_request(const Identity& identity, std::size_t tools, std::size_t messages,
                     std::size_t body_bytes) {
  return identity.always_has_tools && tools == 0 && messages <= side_messages && body_bytes <= side_bytes;
}

Recognition Recogniser::recognise(const TurnFacts& turn) {
  Recognition result{.key = turn.key, .source = turn.source, .side = turn.side};
  if (!result.key) {
    by_prompt(turn, result);
  } else if (const auto* known = table_.find(result.key->conversation)) {
    compare(turn, *known, result);
  } else {
    result.alike = alike(turn);
  }
  return result;
}

// The conversation whose last prompt stands whole at the head of this one. The very same prompt is a retry,
// or while that one is still answered, another conversation that begins alike.
void Recogniser::by_prompt(const TurnFacts& turn, Recognition& result) {
  if (!turn.prompt || turn.prompt->identity() == 0) return;
  result.source = KeySource::content;
  const auto match = prompts_.find(*turn.prompt);
  const auto* known = match ? table_.find(match->conversation) : nullptr;
  if (known && known->source == KeySource::content && match->whole &&
      (match->longer || known->in_flight == 0)) {
    result.key = known->key;
    compare(turn, *known, result);
    return;
  }
  if (match) result.alike = match->conversation;
  const auto key = mix64(turn.prompt->identity() + mix64(turn.salt + ++made_));
  result.key = TurnKey{ConversationKey(key), GroupKey(key), {}};
}

void Recogniser::compare(const TurnFacts& turn, const Conversation& known, Recognition& result) const {
  result.replaced = known.window && turn.window > known.window;
  const auto compared = turn.prompt ? prompts_.compare(known.key.conversation, *turn.prompt) : std::nullopt;
  if (!compared) return;
  // An agent's conversation has tools: other words without any are a request beside it.
  if (compared->other_start && known.has_tools && !turn.has_tools) result.side = true;
  result.replaced |= compared->replaced;
  result.broken = compared->broken;
}

// A fork goes on behind a prompt that was seen; a sub-agent may have the very task of a sibling. Sessions
// that merely begin alike are to be spread.
std::optional<ConversationKey> Recogniser::alike(const TurnFacts& turn) const {
  const auto match = turn.prompt ? prompts_.find(*turn.prompt) : std::nullopt;
  if (!match) return std::nullopt;
  const auto* other = table_.find(match->conversation);
  const bool is_sibling = other && turn.key->parent && other->key.group == turn.key->group;
  if (match->longer || is_sibling) return match->conversation;
  return std::nullopt;
}

}  // namespace lmw::routing
