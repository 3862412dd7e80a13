// Turns that wait for a place.
#include <algorithm>

#include "routing/router.hpp"

namespace lmw::routing {

bool Router::places_on() const {
  if (!settings_.affinity || settings_.admission == Admission::off) return false;
  if (settings_.admission == Admission::on) return true;
  return std::ranges::all_of(replicas_.replicas(), [&](const Replica& replica) {
    return !replicas_.usable(replica.id) || replica.kv_capacity_tokens;
  });
}

Ticket Router::hold(const TurnFacts& turn, const Recognition& seen, Instant now) {
  Ticket ticket(this, {}, now);
  ticket.turn_ = TurnId(++turns_asked_);
  ticket.held_ = true;
  ticket.conversation_ = seen.key->conversation;
  ticket.client_rank_ = turn.rank_header.has_value();
  ticket.is_response_ = turn.is_response;
  remember(ticket, turn, seen, true);

  auto* conversation = table_.find(seen.key->conversation);
  if (conversation) {
    table_.touch(*conversation, now);
    if (turn.window) conversation->window = turn.window;
  }
  const bool is_beginning = begins(turn, seen);
  held_.emplace(ticket.turn_, Held{.key = *seen.key,
                                   .source = seen.source,
                                   .window = turn.window,
                                   .has_tools = turn.has_tools,
                                   .client_rank = ticket.client_rank_,
                                   .is_response = ticket.is_response_,
                                   .replaced = seen.replaced,
                                   .begins = is_beginning,
                                   .head = turn.head,
                                   .since = now});
  places_.arrive(ticket.turn_,
                 {.conversation = seen.key->conversation,
                  .group = seen.key->group,
                  .head = turn.head,
                  .prompt = ticket.prompt_tokens_,
                  .begins = is_beginning,
                  .replaced = seen.replaced,
                  .attraction = conversation ? Attraction{} : attraction(turn, seen, nullptr)},
                 now);
  admit(now);
  ticket.is_held();
  return ticket;
}

void Router::admit(Instant now) {
  now = advance(now);
  if (places_on()) {
    while (const auto next = places_.next(now)) let_in(next->turn, next->replica, now);
    return;
  }
  // Switched off: nobody waits any more.
  for (auto& [turn, held] : held_) {
    if (held.decision) continue;
    const auto* conversation = table_.find(held.key.conversation);
    const bool has_home = conversation && replicas_.usable(conversation->home);
    const auto replica = has_home ? conversation->home : least_loaded({replicas_, table_, now});
    if (!replica) return;
    places_.withdraw(turn);
    let_in(turn, *replica, now);
  }
}

void Router::let_in(TurnId turn, ReplicaId replica, Instant now) {
  auto& held = held_.at(turn);
  auto* conversation = table_.find(held.key.conversation);
  held.why = why(held.source, conversation, now);
  held.why.by_room = places_on();
  if (now > held.since) held.why.held = now - held.since;
  held.shadow = follow(held.key, held.head, held.begins);
  auto outcome = Outcome::placed;
  if (!conversation) {
    conversation =
        &table_.insert({.key = held.key, .source = held.source, .home = replica, .window = held.window}, now);
  } else {
    table_.touch(*conversation, now);
    if (conversation->home != replica) {
      table_.move_home(*conversation, replica);
      outcome = Outcome::rehomed;
    } else if (!held.replaced) {
      outcome = Outcome::sticky;
    }
  }
  ++conversation->turns;
  conversation->has_tools |= held.has_tools;

  auto decision = *to_replica(outcome, replica);
  adjust(decision, held.client_rank, held.is_response);
  count(decision, +1);
  enter(decision, held.key.conversation, +1);
  held.decision = decision;
  if (held.why.held) counters_.held.observe(seconds(*held.why.held));
  admitted_.push_back(turn);
}

// A held ticket that was let in becomes one in flight.
void Router::take(Ticket& ticket) {
  const auto found = held_.find(ticket.turn_);
  if (!found->second.decision) return;
  ticket.held_ = false;
  ticket.decision_ = *found->second.decision;
  ticket.why_ = found->second.why;
  ticket.shadow_ = found->second.shadow;
  held_.erase(found);
}

void Router::withdraw(Ticket& ticket) {
  places_.withdraw(ticket.turn_);
  held_.erase(ticket.turn_);
  if (ticket.prompt_) prompts_.cut_short(*ticket.prompt_);
  ++counters_.left_while_held;
}

}  // namespace lmw::routing
