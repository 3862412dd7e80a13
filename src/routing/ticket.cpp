#include <utility>

#include "routing/router.hpp"

namespace lmw::routing {

Ticket::Ticket(Ticket&& other) noexcept
    : router_(std::exchange(other.router_, nullptr)),
      decision_(other.decision_),
      conversation_(other.conversation_),
      prompt_(other.prompt_),
      broken_(other.broken_),
      client_(std::move(other.client_)),
      tried_(std::move(other.tried_)),
      client_rank_(other.client_rank_),
      is_response_(other.is_response_),
      last_(other.last_),
      content_seen_(other.content_seen_) {}

Ticket::~Ticket() {
  if (router_) router_->end(*this, TurnEnd::cancelled, {}, last_);
}

void Ticket::first_content(Duration ttfb) {
  if (std::exchange(content_seen_, true)) return;
  router_->counters_.ttfb[static_cast<std::size_t>(decision_.outcome)].observe(seconds(ttfb));
}

void Ticket::finish(TurnEnd end, const TokenCounts& tokens, Instant now) {
  if (auto* router = std::exchange(router_, nullptr)) router->end(*this, end, tokens, now);
}

}  // namespace lmw::routing
