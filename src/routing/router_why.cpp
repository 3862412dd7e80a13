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

ShadowTurn Router::follow(const Conversation* conversation, std::uint64_t head) {
  return shadow_.send(replicas_, conversation ? &conversation->shadow : nullptr, head);
}

std::optional<Counterfactual> Router::compare(const Ticket& ticket, Conversation* conversation,
                                              const TokenCounts& tokens) {
  const auto engine = shadow_.end(ticket.shadow_, tokens, conversation ? &conversation->shadow : nullptr);
  if (!engine) return std::nullopt;
  auto& saving = counters_.saving;
  ++saving.turns;
  saving.cached += *tokens.cached;
  saving.engine_cached += engine->cached;
  conversation->saved += engine->saved;
  return engine;
}

}  // namespace lmw::routing
