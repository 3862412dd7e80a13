// What is kept of a decision: why it was made, and what the engine's own balancer would have come to.
#include "routing/router.hpp"

namespace lmw::routing {

// As things stand before the turn changes them.
Why Router::why(KeySource source, const Conversation* conversation, Instant now) const {
  Why why{.source = source};
  if (conversation) {
    why.home = conversation->home;
    why.home_threshold = spill_threshold(replicas_[conversation->home], settings_.spill_threshold);
  }
  why.replicas = static_cast<std::uint32_t>(loads({replicas_, table_, now}, why.first_loads));
  return why;
}

// Whether what is cached of the turn is what conversations share: it begins one, and goes on from no other.
// What the router has not seen before may have a history all the same, as after a restart of ours.
bool Router::begins(const TurnFacts& turn, const Recognition& seen) const {
  const auto* conversation = seen.key ? table_.find(seen.key->conversation) : nullptr;
  const bool is_first = !conversation || conversation->turns == 0;
  return is_first && !seen.alike && turn.head != 0 && !(turn.prompt && turn.prompt->has_answers);
}

// Where the turn would be without us. Its conversation is not new any more once it has had a turn.
ShadowTurn Router::follow(const std::optional<TurnKey>& key, std::uint64_t head, bool begins) {
  ShadowTurn turn{.begins = begins, .head = head};
  if (key) {
    const auto* conversation = table_.find(key->conversation);
    turn.conversation = key->conversation;
    turn.first = !conversation || conversation->turns == 0;
    if (conversation) turn.context = conversation->context.value_or(0);
  }
  return shadow_.send(turn);
}

std::optional<Counterfactual> Router::compare(const Ticket& ticket, Conversation* conversation,
                                              const TokenCounts& tokens) {
  auto turn = ticket.shadow_;
  turn.changed = ticket.broken_.has_value();
  const auto engine = shadow_.end(turn, tokens);
  if (!engine || !conversation) return std::nullopt;
  auto& saving = counters_.saving;
  ++saving.turns;
  saving.cached += *tokens.cached;
  saving.engine_cached += engine->cached;
  conversation->saved += engine->saved;
  return engine;
}

}  // namespace lmw::routing
