#include <utility>

#include "routing/router.hpp"

namespace lmw::routing {

Ticket::Ticket(Ticket&& other) noexcept
    : router_(std::exchange(other.router_, nullptr)),
      turn_(other.turn_),
      held_(other.held_),
      decision_(other.decision_),
      conversation_(other.conversation_),
      prompt_(other.prompt_),
      broken_(other.broken_),
      client_(std::move(other.client_)),
      bytes_(other.bytes_),
      prompt_tokens_(other.prompt_tokens_),
      tried_(std::move(other.tried_)),
      why_(other.why_),
      shadow_(other.shadow_),
      client_rank_(other.client_rank_),
      is_response_(other.is_response_),
      sent_(other.sent_),
      ttfb_(other.ttfb_) {}

Ticket::~Ticket() {
  if (router_) finish(TurnEnd::cancelled, {}, router_->now_);
}

bool Ticket::is_held() {
  if (held_) router_->take(*this);
  return held_;
}

void Ticket::first_content(Duration ttfb, Instant now, bool streamed) {
  if (ttfb_) return;
  ttfb_ = ttfb;
  router_->counters_.ttfb[static_cast<std::size_t>(decision_.outcome)].observe(seconds(ttfb));
  if (streamed) router_->places_.first_content(turn_, now);
  router_->shadow_.read(shadow_);
}

void Ticket::finish(TurnEnd end, const TokenCounts& tokens, Instant now) {
  if (!router_) return;
  const bool still_held = is_held();
  auto* router = std::exchange(router_, nullptr);
  if (still_held) {
    router->withdraw(*this);
  } else {
    router->end(*this, end, tokens, now);
  }
}

}  // namespace lmw::routing
