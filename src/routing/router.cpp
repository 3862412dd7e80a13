#include "routing/router.hpp"

#include <algorithm>
#include <utility>

#include "routing/rank_header.hpp"

namespace lmw::routing {

namespace {

constexpr std::size_t side_bytes = 8 * 1024;
constexpr std::size_t side_messages = 3;

template <class T>
bool contains(const std::vector<T>& list, T item) {
  return std::ranges::find(list, item) != list.end();
}

std::size_t index(Outcome outcome) { return static_cast<std::size_t>(outcome); }

}  // namespace

bool is_side_request(const Identity& identity, std::size_t tools, std::size_t messages,
                     std::size_t body_bytes) {
  return identity.always_has_tools && tools == 0 && messages <= side_messages && body_bytes <= side_bytes;
}

// --- Ticket

Ticket::Ticket(Ticket&& other) noexcept
    : router_(std::exchange(other.router_, nullptr)),
      decision_(other.decision_),
      conversation_(other.conversation_),
      tried_(std::move(other.tried_)),
      tried_endpoints_(std::move(other.tried_endpoints_)),
      last_(other.last_),
      content_seen_(other.content_seen_) {}

Ticket::~Ticket() {
  if (router_) router_->end(*this, TurnEnd::cancelled, {}, last_);
}

void Ticket::first_content(Duration ttfb) {
  if (std::exchange(content_seen_, true)) return;
  router_->counters_.ttfb[index(decision_.outcome)].observe(seconds(ttfb));
}

void Ticket::finish(TurnEnd end, const TokenCounts& tokens, Instant now) {
  if (auto* router = std::exchange(router_, nullptr)) router->end(*this, end, tokens, now);
}

// --- Router

std::optional<Ticket> Router::route(const TurnFacts& turn, Instant now) {
  table_.advance(now);
  std::optional<Decision> decision;
  const PlacementView view{replicas_, table_, now};
  const bool one_endpoint = replicas_.endpoints().size() == 1;
  if (turn.rank_ignored) {
    decision = unrouted(settings_.affinity ? Outcome::not_followed : Outcome::unrouted, {});
  } else if (turn.rank_header && one_endpoint && replicas_.any_up()) {
    decision = client_pinned(*turn.rank_header);
  } else if (!settings_.affinity) {
    decision = unrouted(Outcome::unrouted, {});

  } else if (turn.side) {
    decision = to_replica(Outcome::side, least_loaded(view));
  } else if (turn.key) {
    decision = keyed(turn, now);
  } else {
    decision = to_replica(Outcome::balanced, least_loaded(view));
  }
  if (!decision) return std::nullopt;
  // In a pool of several endpoints a client's rank header is not ours to read: it is passed on instead of
  // ours.
  if (turn.rank_header) decision->rank.reset();

  Ticket ticket(this, *decision, now);
  const bool homed = decision->outcome == Outcome::placed || decision->outcome == Outcome::sticky ||
                     decision->outcome == Outcome::spilled;
  if (homed) ticket.conversation_ = turn.key->conversation;
  if (decision->replica) ++replicas_[*decision->replica].counters.turns[index(decision->outcome)];
  ++counters_.turns[index(decision->outcome)];
  enter(ticket, +1);
  return ticket;
}

std::optional<Decision> Router::client_pinned(std::string_view header) const {
  const auto& endpoint = replicas_.endpoints().front();
  const auto rank = parse_rank(header);
  const bool valid = rank && *rank >= 0 && *rank < static_cast<long>(endpoint.replicas.size()) &&
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
  if (replicas_[replica.endpoint].replicas.size() > 1) decision.rank = replica.rank;
  return decision;
}

std::optional<Decision> Router::unrouted(Outcome outcome, const std::vector<EndpointId>& tried) const {
  const auto id = lookup_endpoint(tried);
  if (!id) return std::nullopt;
  const auto& endpoint = replicas_[*id];
  Decision decision{outcome, *id, {}, {}};
  if (endpoint.replicas.size() == 1) decision.replica = endpoint.replicas.front();
  return decision;
}

std::optional<Decision> Router::keyed(const TurnFacts& turn, Instant now) {
  const PlacementView view{replicas_, table_, now};
  auto* conversation = table_.find(turn.key->conversation);
  const bool known = conversation && replicas_.usable(conversation->home);
  // The client has replaced its history: home has little left to offer, so load decides, and home wins ties.
  const bool replaced = known && turn.window > conversation->window && conversation->window;

  if (known && !replaced) {
    auto& home = replicas_[conversation->home];
    table_.touch(*conversation, now);
    if (home.in_flight < spill_threshold(home, settings_.spill_threshold)) {
      return to_replica(Outcome::sticky, home.id);
    }
    const auto other = least_loaded(view);
    if (other == home.id) return to_replica(Outcome::sticky, home.id);
    ++home.counters.spilled_away;
    return to_replica(Outcome::spilled, other);
  }

  // A sub-agent goes with its parent where that costs nothing.
  std::optional<ReplicaId> preferred = known ? std::optional(conversation->home) : std::nullopt;
  if (turn.key->parent && !conversation) {
    if (const auto* parent = table_.find(*turn.key->parent)) preferred = parent->home;
  }
  const auto home = least_loaded(view, {}, preferred);
  if (!home) return std::nullopt;
  if (conversation) {
    table_.touch(*conversation, now);
    table_.move_home(*conversation, *home);
  } else {
    conversation = &table_.insert({.key = *turn.key, .source = turn.source, .home = *home}, now);
  }
  conversation->window = turn.window;
  return to_replica(Outcome::placed, home);
}

bool Router::move(Ticket& ticket, Instant now) {
  ticket.last_ = now;
  ticket.tried_endpoints_.push_back(ticket.decision_.endpoint);
  if (ticket.decision_.replica) ticket.tried_.push_back(*ticket.decision_.replica);

  std::optional<Decision> next;
  const auto outcome = ticket.decision_.outcome;
  if (outcome == Outcome::unrouted || outcome == Outcome::not_followed) {
    next = unrouted(outcome, ticket.tried_endpoints_);
  } else if (outcome != Outcome::client_pinned && outcome != Outcome::passed) {
    next = to_replica(outcome, least_loaded({replicas_, table_, now}, ticket.tried_));
  }
  if (!next) return false;

  enter(ticket, -1);
  const auto from = ticket.decision_.replica;
  ticket.decision_ = *next;
  enter(ticket, +1);
  ++counters_.moved;
  if (ticket.conversation_) {
    auto* conversation = table_.find(*ticket.conversation_);
    const bool was_home = conversation && from == conversation->home;
    if (was_home && (next->outcome == Outcome::placed || !replicas_.usable(*from))) {
      table_.move_home(*conversation, *next->replica);
    }
  }
  return true;
}

std::optional<EndpointId> Router::lookup_endpoint(const std::vector<EndpointId>& tried) const {
  std::optional<EndpointId> best;
  double lowest = 0;
  for (const auto& endpoint : replicas_.endpoints()) {
    if (!endpoint.up || contains(tried, endpoint.id)) continue;
    double in_flight = endpoint.unrouted_in_flight;
    for (const auto id : endpoint.replicas) in_flight += replicas_[id].in_flight;
    in_flight /= static_cast<double>(std::max<std::size_t>(1, endpoint.replicas.size()));
    if (best && in_flight >= lowest) continue;
    best = endpoint.id;
    lowest = in_flight;
  }
  return best;
}

void Router::new_run(EndpointId endpoint) {
  for (const auto id : replicas_[endpoint].replicas) {
    table_.forget_home(id);
    replicas_[id].reading.reset();
  }
}

// Takes the turn into the gauges (step +1) or out of them (-1).
void Router::enter(const Ticket& ticket, int step) {
  in_flight_ += step;
  if (ticket.decision_.replica) {
    replicas_[*ticket.decision_.replica].in_flight += step;
  } else {
    replicas_[ticket.decision_.endpoint].unrouted_in_flight += step;
  }
  if (!ticket.conversation_) return;
  if (auto* conversation = table_.find(*ticket.conversation_)) {
    // Not below 0: a conversation may have left the table and come back while a turn of it was under way.
    conversation->in_flight = std::max(0, conversation->in_flight + step);
    if (step > 0) ++conversation->turns;
  }
}

void Router::end(Ticket& ticket, TurnEnd how, const TokenCounts& tokens, Instant now) {
  enter(ticket, -1);
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
  if (!ticket.conversation_) return;
  auto* conversation = table_.find(*ticket.conversation_);
  if (!conversation) return;
  table_.touch(*conversation, now);
  if (!tokens.prompt) return;
  conversation->context = *tokens.prompt + tokens.completion.value_or(0);
  conversation->last_prompt = tokens.prompt;
  conversation->last_cached = tokens.cached;
}

}  // namespace lmw::routing
