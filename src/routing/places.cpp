// What is decided on each event. What is known of conversations and replicas: places_model.cpp; the queue:
// places_queue.cpp.
#include "routing/places.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace lmw::routing {

namespace {

constexpr double patience = 2;
constexpr double queued_gain = 0.02;

}  // namespace

void Places::arrive(TurnId turn, const PlaceRequest& request, Instant now) {
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
  const auto found = flights_.find(turn);
  if (found == flights_.end()) return;
  found->second.replica = replica;
  auto& c = *found->second.conv;
  change(c, [&] { use(c, replica, now); });
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
  if (const auto* holder = next_holder()) return send(*holder, *holder->conv->home, now);
  const auto newcomer =
      std::ranges::find_if(order_, [](const Waiter* waiter) { return !waiter->conv->place; });
  if (newcomer == order_.end()) return std::nullopt;
  const bool fits_anywhere = std::ranges::all_of(replicas_.replicas(), [&](const Replica& replica) {
    return !replicas_.usable(replica.id) || fits(*(*newcomer)->conv, (*newcomer)->request, replica.id);
  });
  if (!fits_anywhere) expire_idle(now);
  return next_newcomer(now);
}

// A turn of a conversation that holds a place goes at once. Where the conversations have outgrown the cache,
// the newest loses its place.
const Places::Waiter* Places::next_holder() {
  if (holders_queued_ == 0) return nullptr;
  for (const auto& [turn, waiter] : queue_) {
    auto& c = *waiter.conv;
    if (!c.place) continue;
    if (fits(c, waiter.request, *c.home)) return &waiter;
    if (c.in_flight == 0) leave(c);
  }
  return nullptr;
}

// Home first, where there is one; elsewhere when that has taken longer than to read again what home keeps.
std::optional<Places::Where> Places::candidates(const Waiter& waiter, bool elsewhere, Instant now) {
  auto& c = *waiter.conv;
  const double keeps = kept(c);
  const bool at_home = has_home(c);
  if (!elsewhere) return at_home ? Where::home : Where::anywhere;
  if (!at_home || seconds(now - waiter.arrived) < keeps / home_of(*c.home).rate) return std::nullopt;
  return Where::elsewhere;
}

Places::Found Places::find_room(const Waiter& waiter, Where where, const Search& search, Instant now) const {
  const auto& [turn, request, conv, arrived, tag] = waiter;
  const auto& left = search.left;
  const double needs = own(request);
  Found found;
  const auto each = [&](const auto& consider) {
    for (const auto& replica : replicas_.replicas()) {
      const bool is_home = replica.id == conv->home;
      if (search.claimed[replica.id.value()]) continue;
      if (where == Where::anywhere || is_home == (where == Where::home)) consider(replica.id.value());
    }
  };
  each([&](std::uint32_t i) {
    if (!found.roomiest || left[i] > left[found.roomiest->value()]) found.roomiest = ReplicaId(i);
  });
  if (!found.roomiest || left[found.roomiest->value()] < needs) return found;

  const auto drawn_to = conv->home ? conv->home : request.attraction.replica;
  std::tuple<double, bool, bool, int, double> lowest;
  each([&](std::uint32_t i) {
    const auto& replica = replicas_[ReplicaId(i)];
    if (left[i] < needs || !has_slot(replica)) return;
    const bool draws = !conv->home && replica.id == drawn_to;
    const std::tuple rank(replica.in_flight - (draws ? request.attraction.worth : 0), replica.id != drawn_to,
                          is_full(replica, now), home_of(replica.id).places, -left[i]);
    if (!found.fits || rank < lowest) found.fits = replica.id, lowest = rank;
  });
  return found;
}

// The others in their order. What an older one waits for no younger one may take.
std::optional<Admitted> Places::next_newcomer(Instant now) {
  std::optional<Admitted> admitted;
  Search search;
  for (const auto& replica : replicas_.replicas()) search.claimed.push_back(!replicas_.usable(replica.id));
  auto unclaimed = std::ranges::count(search.claimed, false);
  const auto serve = [&](const Waiter& waiter, Where where) {
    look_for(waiter.conv->head, search);
    auto [to, roomiest] = find_room(waiter, where, search, now);
    if (!to && roomiest && is_overdue(waiter, now)) {
      make_room(waiter, *roomiest);
      search.head.reset();
      if (fits(*waiter.conv, waiter.request, *roomiest)) to = roomiest;
    }
    if (to) {
      admitted = send(waiter, *to, now);
      return false;
    }
    if (!roomiest) return true;
    const auto claim = where == Where::anywhere ? *roomiest : *waiter.conv->home;
    if (!search.claimed[claim.value()]) search.claimed[claim.value()] = true, --unclaimed;
    return unclaimed > 0;
  };
  for (const bool elsewhere : {false, true}) {
    if (admitted || unclaimed == 0) break;
    in_order(now, [&](const Waiter& waiter) {
      if (waiter.conv->place) return true;
      const auto where = candidates(waiter, elsewhere, now);
      return !where || serve(waiter, *where);
    });
  }
  return admitted;
}

// Takes places from idle conversations, the longest held first, until the turn fits.
void Places::make_room(const Waiter& waiter, ReplicaId replica) {
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
                    .first = request.first,
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
