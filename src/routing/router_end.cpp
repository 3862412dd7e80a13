// The end of a turn: what it has cost, and what its replica keeps of it.
#include "routing/router.hpp"

namespace lmw::routing {

void Router::end(Ticket& ticket, TurnEnd how, const TokenCounts& tokens, Instant now) {
  now = advance(now);
  enter(ticket.decision_, ticket.conversation_, -1);
  switch (how) {
    case TurnEnd::answered:
      ++counters_.answered;
      break;
    case TurnEnd::cancelled:
      ++counters_.cancelled;
      break;
    case TurnEnd::failed:
      ++counters_.failed;
      break;
  }
  // A turn that was cut short may still have told its counts; one that failed has computed nothing we know
  // of.
  const bool counted = how == TurnEnd::answered || tokens.prompt;
  if (counted) {
    counters_.tokens.add(tokens);
    if (ticket.decision_.replica) replicas_[*ticket.decision_.replica].counters.tokens.add(tokens);
  }
  places_.end(ticket.turn_, tokens, now);
  if (tokens.prompt) estimate_.learn(ticket.bytes_, *tokens.prompt);
  auto* conversation = ticket.conversation_ ? table_.find(*ticket.conversation_) : nullptr;
  if (conversation) {
    table_.touch(*conversation, now);
    if (tokens.prompt) {
      conversation->bytes = ticket.bytes_;
      conversation->context = *tokens.prompt + tokens.completion.value_or(0);
      conversation->last_prompt = tokens.prompt;
      conversation->last_cached = tokens.cached;
      conversation->cached_shares.add(tokens);
    }
  }
  if (how != TurnEnd::answered && ticket.prompt_) prompts_.cut_short(*ticket.prompt_);
  const auto engine = compare(ticket, conversation, tokens);
  std::optional<CacheAccount> accounted;
  if (counted && ticket.prompt_) accounted = account(ticket, conversation, tokens, now);
  log_.add({.conversation = ticket.conversation_ ? ticket.conversation_ : ticket.prompt_,
            .outcome = ticket.decision_.outcome,
            .endpoint = ticket.decision_.endpoint,
            .replica = ticket.decision_.replica,
            .sent = ticket.sent_,
            .ended = now,
            .ttfb = ticket.ttfb_,
            .end = how,
            .tokens = tokens,
            .account = std::move(accounted),
            .why = ticket.why_,
            .engine = engine});
  admit(now);
}

CacheAccount Router::account(const Ticket& ticket, Conversation* conversation, const TokenCounts& tokens,
                             Instant now) {
  auto account = account_of(cache_facts(ticket), tokens);
  cache_.add(account);
  if (account.broken) breaks_.add(ticket.client_, *account.broken, account.lost, now);
  if (conversation) conversation->last_account = account;
  keep(ticket, tokens);
  return account;
}

CacheFacts Router::cache_facts(const Ticket& ticket) const {
  CacheFacts facts{.context = prompts_.context(*ticket.prompt_),
                   .engine_chose = ticket.decision_.outcome == Outcome::not_followed,
                   .broken = ticket.broken_};
  for (const auto& kept : prompts_.kept(*ticket.prompt_)) {
    const bool current = kept.run == replicas_[replicas_[kept.replica].endpoint].run;
    if (!current) facts.restarted = true;
    if (current && kept.replica == ticket.decision_.replica) facts.kept = kept.tokens;
  }
  return facts;
}

// The replica that took a turn keeps its context.
void Router::keep(const Ticket& ticket, const TokenCounts& tokens) {
  if (!tokens.prompt) return;
  const auto context = *tokens.prompt + tokens.completion.value_or(0);
  std::optional<Kept> kept;
  if (const auto replica = ticket.decision_.replica) {
    kept = Kept{*replica, replicas_[replicas_[*replica].endpoint].run, context};
  }
  prompts_.keep(*ticket.prompt_, context, kept);
}

}  // namespace lmw::routing
