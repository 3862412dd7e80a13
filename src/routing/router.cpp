#include "routing/router.hpp"

#include <algorithm>
#include <utility>

#include "routing/rank_header.hpp"

namespace lmw::routing {

namespace {

template <class T>
bool contains(const std::vector<T>& list, T item) {
  return std::ranges::find(list, item) != list.end();
}

std::size_t index(Outcome outcome) { return static_cast<std::size_t>(outcome); }

// Turns of a conversation that has a home.
bool is_homed(Outcome outcome) {
  return outcome == Outcome::placed || outcome == Outcome::sticky || outcome == Outcome::rehomed ||
         outcome == Outcome::spilled;
}

// A turn whose replica we have chosen.
bool is_ours(Outcome outcome) {
  return is_homed(outcome) || outcome == Outcome::balanced || outcome == Outcome::side;
}

}  // namespace

std::optional<Ticket> Router::route(const TurnFacts& turn, Instant now) {
  now = advance(now);
  table_.advance(now);
  const auto seen = settings_.affinity ? recogniser_.recognise(turn) : Recognition{};
  const auto rule = rule_for(turn, seen);
  if (rule == Rule::home && places_on()) {
    if (!replicas_.any_up()) return std::nullopt;
    return hold(turn, seen, now);
  }
  const auto reasons = why(seen.source, seen.key ? table_.find(seen.key->conversation) : nullptr, now);
  auto decision = decide(rule, turn, seen, now);
  if (!decision) return std::nullopt;
  adjust(*decision, turn.rank_header.has_value(), turn.is_response);

  Ticket ticket(this, *decision, now);
  ticket.client_rank_ = turn.rank_header.has_value();
  ticket.is_response_ = turn.is_response;
  ticket.why_ = reasons;
  if (is_ours(decision->outcome)) ticket.shadow_ = follow(seen.key, turn.head, begins(turn, seen));
  const bool homed = is_homed(decision->outcome);
  remember(ticket, turn, seen, homed);
  if (homed) {
    ticket.conversation_ = seen.key->conversation;
    auto& conversation = *table_.find(seen.key->conversation);
    ++conversation.turns;
    conversation.has_tools |= turn.has_tools;
  }
  count(*decision, +1);
  enter(*decision, ticket.conversation_, +1);
  return ticket;
}

Router::Rule Router::rule_for(const TurnFacts& turn, const Recognition& seen) const {
  const bool one_endpoint = replicas_.endpoints().size() == 1;
  const bool rank_matters = settings_.affinity || turn.rank_header;
  if (turn.is_response && rank_matters && all_ignore_ranks()) return Rule::not_followed;
  if (turn.rank_header && one_endpoint && replicas_.any_up()) return Rule::pinned;
  if (!settings_.affinity) return Rule::unrouted;
  if (seen.side && !is_known_without_tools(seen)) return Rule::side;
  return seen.key ? Rule::home : Rule::balanced;
}

std::optional<Decision> Router::decide(Rule rule, const TurnFacts& turn, const Recognition& seen,
                                       Instant now) {
  switch (rule) {
    case Rule::not_followed:
      return unrouted(Outcome::not_followed, {});
    case Rule::pinned:
      return client_pinned(*turn.rank_header);
    case Rule::unrouted:
      return unrouted(Outcome::unrouted, {});
    case Rule::side:
      return beside(seen, now);
    case Rule::home:
      return keyed(turn, seen, now);
    case Rule::balanced:
      return to_replica(Outcome::balanced, least_loaded({replicas_, table_, now}));
  }
  std::unreachable();
}

// What a turn's prompt tells of its conversation.
void Router::remember(Ticket& ticket, const TurnFacts& turn, const Recognition& seen, bool homed) {
  ticket.bytes_ = turn.bytes;
  const bool goes_on = seen.key && homed && !seen.replaced;
  ticket.prompt_tokens_ =
      estimate_.tokens(turn.bytes, goes_on ? table_.find(seen.key->conversation) : nullptr);
  if (!turn.prompt || !seen.key || (!homed && ticket.decision_.outcome != Outcome::not_followed)) return;
  ticket.prompt_ = seen.key->conversation;
  ticket.broken_ = seen.broken;
  ticket.client_ = turn.client;
  prompts_.record(seen.key->conversation, *turn.prompt);
}

// What goes along with a turn that has been decided.
void Router::adjust(Decision& decision, bool client_rank, bool is_response) const {
  const auto& endpoint = replicas_[decision.endpoint];
  if (is_response && endpoint.ignores_rank_on_responses && decision.rank) {
    decision = {Outcome::not_followed, endpoint.id, {}, {}};
  }
  // In a pool of several endpoints a client's rank header is not ours to read: it is passed on instead of
  // ours.
  if (client_rank) decision.rank.reset();
}

// Whether no engine that is up heeds a rank on /v1/responses and has more than one.
bool Router::all_ignore_ranks() const {
  bool any = false;
  for (const auto& endpoint : replicas_.endpoints()) {
    if (!endpoint.up) continue;
    if (!endpoint.ignores_rank_on_responses || replicas_.ranks(endpoint.id) < 2) return false;
    any = true;
  }
  return any;
}

std::optional<Decision> Router::client_pinned(std::string_view header) const {
  const auto& endpoint = replicas_.endpoints().front();
  const auto rank = parse_rank(header);
  const bool valid = rank && *rank >= 0 && *rank < replicas_.ranks(endpoint.id) &&
                     replicas_.usable(endpoint.replicas[static_cast<std::size_t>(*rank)]);
  if (!valid) return Decision{Outcome::passed, endpoint.id, {}, {}};
  return Decision{
      Outcome::client_pinned, endpoint.id, endpoint.replicas[static_cast<std::size_t>(*rank)], {}};
}

std::optional<Decision> Router::to_replica(Outcome outcome, std::optional<ReplicaId> id) const {
  if (!id) return std::nullopt;
  const auto& replica = replicas_[*id];
  Decision decision{outcome, replica.endpoint, *id, {}};
  // An engine of one replica needs no rank, and may not know the header.
  if (replicas_.ranks(replica.endpoint) > 1) decision.rank = replica.rank;
  return decision;
}

std::optional<Decision> Router::unrouted(Outcome outcome, const std::vector<EndpointId>& tried) const {
  const auto id = lookup_endpoint(tried);
  if (!id) return std::nullopt;
  const auto& endpoint = replicas_[*id];
  Decision decision{outcome, *id, {}, {}};
  if (replicas_.ranks(*id) == 1) decision.replica = endpoint.replicas.front();
  return decision;
}

bool Router::move(Ticket& ticket, Instant now) {
  now = advance(now);
  ticket.tried_.push_back(ticket.decision_.endpoint);
  const auto from = ticket.decision_;
  std::optional<Decision> next;
  if (from.outcome == Outcome::unrouted || from.outcome == Outcome::not_followed) {
    next = unrouted(from.outcome, ticket.tried_);
  } else if (is_homed(from.outcome) && from.outcome != Outcome::spilled) {
    next = move_from_home(ticket, now);
  } else if (from.outcome != Outcome::client_pinned && from.outcome != Outcome::passed) {
    next = to_replica(from.outcome, least_loaded({replicas_, table_, now}, ticket.tried_));
  }
  if (!next) return false;

  adjust(*next, ticket.client_rank_, ticket.is_response_);
  enter(from, ticket.conversation_, -1);
  count(from, -1);
  ticket.decision_ = *next;
  count(*next, +1);
  enter(*next, ticket.conversation_, +1);
  if (next->replica) places_.move(ticket.turn_, *next->replica, now);
  ++counters_.moved;
  return true;
}

// A conversation whose home can't take its turn gets a new one, and its other turns follow there.
std::optional<Decision> Router::move_from_home(const Ticket& ticket, Instant now) {
  auto* conversation = ticket.conversation_ ? table_.find(*ticket.conversation_) : nullptr;
  const auto from = ticket.decision_.replica;
  if (conversation && conversation->home != from && replicas_.usable(conversation->home) &&
      !contains(ticket.tried_, replicas_[conversation->home].endpoint)) {
    return to_replica(Outcome::sticky, conversation->home);
  }
  const auto home = least_loaded({replicas_, table_, now}, ticket.tried_);
  if (!home) return std::nullopt;
  if (conversation) table_.move_home(*conversation, *home);
  const bool is_new = ticket.decision_.outcome == Outcome::placed && !ticket.why_.home;
  return to_replica(is_new ? Outcome::placed : Outcome::rehomed, home);
}

// Counts a turn where it goes (+1), or no longer (-1).
void Router::count(const Decision& decision, int step) {
  const auto change = static_cast<std::uint64_t>(static_cast<std::int64_t>(step));
  counters_.turns[index(decision.outcome)] += change;
  if (decision.replica) replicas_[*decision.replica].counters.turns[index(decision.outcome)] += change;
}

std::optional<EndpointId> Router::lookup_endpoint(const std::vector<EndpointId>& tried) const {
  std::optional<EndpointId> best;
  double lowest = 0;
  for (const auto& endpoint : replicas_.endpoints()) {
    if (!endpoint.up || contains(tried, endpoint.id)) continue;
    double in_flight = endpoint.unrouted_in_flight;
    for (const auto id : endpoint.replicas) in_flight += replicas_[id].in_flight;
    in_flight /= std::max(1, replicas_.ranks(endpoint.id));
    if (best && in_flight >= lowest) continue;
    best = endpoint.id;
    lowest = in_flight;
  }
  return best;
}

void Router::new_run(EndpointId endpoint) {
  ++replicas_[endpoint].run;
  for (const auto id : replicas_[endpoint].replicas) {
    table_.forget_home(id);
    replicas_[id].reading.reset();
    replicas_[id].learnt_max_num_seqs.reset();
    replicas_[id].ceiling = {};
    places_.forget(id);
    shadow_.forget(id);
  }
}

// Takes a turn into the gauges (step +1) or out of them (-1).
void Router::enter(const Decision& decision, const std::optional<ConversationKey>& key, int step) {
  in_flight_ += step;
  if (decision.replica) {
    replicas_[*decision.replica].in_flight += step;
  } else {
    replicas_[decision.endpoint].unrouted_in_flight += step;
  }
  if (!key) return;
  if (auto* conversation = table_.find(*key)) {
    // Not below 0: a conversation may have left the table and come back while a turn of it was under way.
    conversation->in_flight = std::max(0, conversation->in_flight + step);
  }
}

}  // namespace lmw::routing
