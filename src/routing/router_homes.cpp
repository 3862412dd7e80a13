// Homes: which conversation goes where, and what draws a new one.
#include <algorithm>

#include "routing/router.hpp"

namespace lmw::routing {

namespace {

// A prompt of so many bytes, cached, is worth as much when placing as a whole KV cache: 64 KiB are about 16k
// tokens, seconds of prefill.
constexpr double bytes_of_full_worth = 64 * 1024;

}  // namespace

std::optional<Decision> Router::keyed(const TurnFacts& turn, const Recognition& seen, Instant now) {
  auto* conversation = table_.find(seen.key->conversation);
  if (conversation && turn.window) conversation->window = turn.window;
  const bool has_home = conversation && replicas_.usable(conversation->home);
  if (!has_home || seen.replaced) return place(turn, seen, conversation, now);

  auto& home = replicas_[conversation->home];
  table_.touch(*conversation, now);
  if (!is_full(home)) return to_replica(Outcome::sticky, home.id);
  const auto other = least_loaded({replicas_, table_, now});
  if (other == home.id) return to_replica(Outcome::sticky, home.id);
  ++home.counters.spilled_away;
  return to_replica(Outcome::spilled, other);
}

bool Router::is_full(const Replica& replica) const {
  return replica.in_flight >= spill_threshold(replica, settings_.spill_threshold);
}

// Whether it is a turn of a conversation that has never had tools: a small one is then a turn like its
// others.
bool Router::is_known_without_tools(const Recognition& seen) const {
  const auto* conversation = seen.key ? table_.find(seen.key->conversation) : nullptr;
  return conversation && !conversation->has_tools;
}

// A request beside a conversation: it leaves no home. But it may be the first turn of a conversation without
// tools.
std::optional<Decision> Router::beside(const Recognition& seen, Instant now) {
  const auto id = least_loaded({replicas_, table_, now});
  if (id && seen.key && !table_.find(seen.key->conversation)) {
    if (side_runs_.size() >= max_side_runs) side_runs_.clear();
    side_runs_.insert_or_assign(seen.key->conversation, *id);
  }
  return to_replica(Outcome::side, id);
}

// What draws a conversation that is placed to a replica: its old home; the prefix of a conversation that
// begins alike; its parent, where that costs nothing.
Attraction Router::attraction(const TurnFacts& turn, const Recognition& seen,
                              const Conversation* conversation) const {
  if (conversation) return {conversation->home};
  if (const auto* alike = seen.alike ? table_.find(*seen.alike) : nullptr) {
    if (replicas_.usable(alike->home) && !is_full(replicas_[alike->home])) {
      return {alike->home, kv_weight * std::min(1.0, static_cast<double>(turn.bytes) / bytes_of_full_worth)};
    }
  }
  const auto* parent = seen.key->parent ? table_.find(*seen.key->parent) : nullptr;
  return parent ? Attraction{parent->home} : Attraction{};
}

// Gives a conversation a home: a new one, or one whose home is gone or has nothing left for it.
std::optional<Decision> Router::place(const TurnFacts& turn, const Recognition& seen,
                                      Conversation* conversation, Instant now) {
  PlacementView view{replicas_, table_, now};
  if (conversation && table_.is_recent(*conversation)) view.without = conversation->home;
  auto home = least_loaded(view, {}, attraction(turn, seen, conversation));
  if (const auto side_run = side_runs_.extract(seen.key->conversation)) {
    if (!turn.has_tools && replicas_.usable(side_run.mapped())) home = side_run.mapped();
  }
  if (!home) return std::nullopt;
  auto outcome = Outcome::placed;
  if (conversation) {
    if (conversation->home != *home) outcome = Outcome::rehomed;
    table_.touch(*conversation, now);
    table_.move_home(*conversation, *home);
  } else {
    table_.insert({.key = *seen.key, .source = seen.source, .home = *home, .window = turn.window}, now);
  }
  return to_replica(outcome, home);
}

}  // namespace lmw::routing
