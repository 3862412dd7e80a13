// What is decided on each event. What is known of conversations and replicas: places_model.cpp; the queue:
// places_queue.cpp.
#include "routing/places.hpp"

#include <algorithm>
#include <cmath>

namespace lmw::routing {

namespace {

constexpr double patience = 2;
constexpr double queued_gain = 0.02;

}  // namespace

void Places::arrive(TurnId turn, const PlaceRequest& request, Instant now) {
  search_.reset();
  auto& c = conv(request);
  if (request.replaced) forget(c);
  if (c.in_flight == 0 && c.context > 0 && c.home) {
    const double gap = seconds(now - c.used);
    // A running 90 % quantile of the gaps that are worth holding a place for.
    if (gap < rebuild(c)) gap_ *= std::exp(0.1 * ((gap > gap_ ? 1.0 : 0.0) - 0.1));
  }
  enqueue(turn, request, c, now);
  if (c.place && c.in_flight == 0 && is_due(c, now)) {
    leave(c);
    ++rotations_;
  }
}

void Places::withdraw(TurnId turn) {
  search_.reset();
  const auto waiter = queue_.find(turn);
  if (waiter == queue_.end()) return;
  auto& c = *waiter->second.conv;
  done(waiter->second.request.group);
  dequeue(turn);
  if (!c.home && c.queued == 0 && c.in_flight == 0) convs_.erase(c.key);
}

void Places::first_content(TurnId turn, Instant now) {
  const auto found = flights_.find(turn);
  if (found == flights_.end() || found->second.uncached <= chunk()) return;
  auto& rate = home_of(found->second.replica).rate;
  rate += 0.1 * (found->second.uncached / std::max(0.05, seconds(now - found->second.sent)) - rate);
}

void Places::end(TurnId turn, const TokenCounts& tokens, Instant now) {
  search_.reset();
  const auto found = flights_.find(turn);
  if (found == flights_.end()) return;
  const auto flight = found->second;
  flights_.erase(found);
  done(flight.group);
  auto& c = *flight.conv;
  if (tokens.prompt) learn(flight, c, tokens, now);
  change(c, [&] {
    --c.in_flight;
    if (c.home == flight.replica) use(c, flight.replica, now);
    c.context = tokens.prompt ? static_cast<double>(*tokens.prompt + tokens.completion.value_or(0))
                              : std::max(c.context, c.prompt);
  });
  if (!c.home && c.queued == 0 && c.in_flight == 0) convs_.erase(c.key);
  auto& home = home_of(flight.replica);
  if (home.recent.size() > 2 * home.looked_at + 16) look_through(flight.replica);
}

void Places::move(TurnId turn, ReplicaId replica, Instant now) {
  search_.reset();
  const auto found = flights_.find(turn);
  if (found == flights_.end()) return;
  found->second.replica = replica;
  auto& c = *found->second.conv;
  change(c, [&] {
    if (!c.place) c.since = now;
    c.place = true;
    use(c, replica, now);
  });
}

void Places::forget(Conv& c) {
  if (c.in_flight > 0 || !c.home) return;
  leave(c);
  auto& home = home_of(*c.home);
  home.recent.erase(c.at);
  home.changed = true;
  c.home.reset();
  c.context = 0;
}

void Places::forget(ReplicaId replica) {
  search_.reset();
  auto& home = home_of(replica);
  for (auto* c : home.recent) {
    leave(*c);
    c->home.reset();
    if (c->queued == 0 && c->in_flight == 0) convs_.erase(c->key);
  }
  home.recent.clear();
}

// May one more turn wait, and is there one that has waited long enough for this place and could use it?
bool Places::is_due(const Conv& holder, Instant now) {
  const bool in_budget = queued_share_ < settings_.wait_share;
  const double long_enough = patience / (settings_.wait_share * settings_.wait_share) * rebuild(holder);
  bool due = false;
  in_order(now, [&](const Waiter& waiter) {
    auto& c = *waiter.conv;
    if (c.place || (c.home != holder.home && kept(c) > chunk())) return true;
    const bool waited = in_budget && seconds(now - waiter.arrived) >= long_enough;
    if (!waited && !is_overdue(waiter, now)) return false;
    due = fits(c, waiter.request, *holder.home, &holder);
    return !due;
  });
  return due;
}

// Idle places expire while someone waits.
void Places::expire_idle(Instant now) {
  for (auto next = idle_.begin(); next != idle_.end() && now - (*next)->used > least_hold;) {
    auto& c = **next++;
    if (c.queued > 0 || now - c.used <= hold(c)) continue;
    leave(c);
    ++rotations_;
  }
}

std::optional<Admitted> Places::next(Instant now) {
  for (auto holders = holders_queued_ + 1; holders_queued_ < holders;) {
    if (!search_) make_way(now);
    holders = holders_queued_;
    if (const auto* holder = next_holder(now)) {
      search_.reset();
      return send(*holder, *holder->conv->home, now);
    }
    if (holders_queued_ < holders) search_.reset();  // they have become newcomers
  }
  if (!has_newcomers()) return std::nullopt;
  if (!search_) begin_search();
  auto admitted = next_newcomer(*search_, now);
  // Who goes elsewhere waits for its home no longer, which the others may take.
  if (!admitted || search_->elsewhere) search_.reset();
  return admitted;
}

// A turn of a conversation that holds a place goes at once, but for one who has waited too long for that
// replica: as long as that one is not served, the replica is left to run dry. Where the conversations have
// outgrown the cache, the newest loses its place, and so do those of a replica that is down.
const Places::Waiter* Places::next_holder(Instant now) {
  if (holders_queued_ == 0) return nullptr;
  const auto* overdue = overdue_newcomer(now);
  const auto kept_free = overdue ? waits_for(*overdue) : std::nullopt;
  auto left = holders_queued_;
  for (auto next = queue_.begin(); left > 0 && next != queue_.end(); ++next) {
    const auto& [turn, waiter] = *next;
    auto& c = *waiter.conv;
    if (!c.place) continue;
    --left;
    if (kept_free == c.home && turn.value() > overdue->turn.value()) continue;
    if (fits(c, waiter.request, *c.home)) return &waiter;
    const bool waits = c.in_flight > 0 || !has_slot(replicas_[*c.home]);
    if (waits && replicas_.usable(*c.home)) continue;
    leave(c);
  }
  return nullptr;
}

// The longest waiting one.
const Places::Waiter* Places::overdue_newcomer(Instant now) const {
  for (const auto& [turn, waiter] : queue_) {
    if (!is_overdue(waiter, now)) break;
    if (!waiter.conv->place) return &waiter;
  }
  return nullptr;
}

// Takes places from idle conversations, the longest held first, until the turn fits.
void Places::make_room(const Waiter& waiter, ReplicaId replica) {
  if (!has_slot(replicas_[replica])) return;
  while (!fits(*waiter.conv, waiter.request, replica)) {
    Conv* oldest = nullptr;
    for (auto* other : idle_) {
      if (other->home == replica && (!oldest || other->since < oldest->since)) oldest = other;
    }
    if (!oldest) return;
    leave(*oldest);
    ++rotations_;
  }
}

Admitted Places::send(const Waiter& waiter, ReplicaId replica, Instant now) {
  const auto [turn, request, conv, arrived, tag] = waiter;
  served_ = std::max(served_, tag);
  auto& c = *conv;
  const double keeps = c.home != replica ? 0 : c.place ? std::max(0.0, c.context - shared(c.head)) : kept(c);
  flights_[turn] = {.conv = &c,
                    .group = request.group,
                    .replica = replica,
                    .head = request.head,
                    .begins = request.begins,
                    .expected = keeps > 0 ? keeps + shared(request.head) : 0,
                    .uncached = request.prompt - shared(request.head) - keeps,
                    .sent = now};
  queued_share_ += queued_gain * ((c.place ? 0.0 : 1.0) - queued_share_);
  const double age = seconds(now - last_send_);
  sends_a_second_ = sends_a_second_ * std::exp(-age / 60) + 1.0 / 60;
  last_send_ = now;
  dequeue(turn);
  if (!c.place) c.since = now;
  change(c, [&] {
    c.place = true;
    c.prompt = request.prompt;
    ++c.in_flight;
    use(c, replica, now);
  });
  return {turn, replica};
}

void Places::leave(Conv& c) {
  change(c, [&] { c.place = false; });
}

void Places::use(Conv& c, ReplicaId replica, Instant now) {
  auto& home = home_of(replica);
  if (c.home) {
    auto& from = home_of(*c.home);
    home.recent.splice(home.recent.begin(), from.recent, c.at);
    from.changed = true;
  } else {
    home.recent.push_front(&c);
  }
  c.at = home.recent.begin();
  home.changed = true;
  c.home = replica;
  c.used = now;
}

}  // namespace lmw::routing
