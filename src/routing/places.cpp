// Events, and what is decided on them. What is known of conversations and replicas: places_model.cpp.
#include "routing/places.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace lmw::routing {

namespace {

constexpr double patience = 2;
constexpr double queued_gain = 0.02;
constexpr std::uint64_t session_turns = 8;

}  // namespace

void Places::arrive(TurnId turn, const PlaceRequest& request, Instant now) {
  auto& c = conv(request);
  if (request.replaced) forget(c);
  if (c.in_flight == 0 && c.context > 0 && c.home) {
    const double gap = seconds(now - c.used);
    // A running 90 % quantile of the gaps that are worth holding a place for.
    if (gap < rebuild(c)) gap_ *= std::exp(0.1 * ((gap > gap_ ? 1.0 : 0.0) - 0.1));
  }
  queue_.emplace(turn, Waiter{turn, request, now, tag_of(request.group)});
  ++c.queued;
  if (c.place && c.in_flight == 0 && is_due(c, now)) {
    leave(c);
    ++rotations_;
  }
}

void Places::withdraw(TurnId turn) {
  const auto waiter = queue_.extract(turn);
  if (!waiter) return;
  const auto& request = waiter.mapped().request;
  done(request.group);
  auto& c = convs_.at(request.conversation);
  if (--c.queued == 0 && !c.home) convs_.erase(request.conversation);
}

void Places::first_content(TurnId turn, Instant now) {
  const auto found = flights_.find(turn);
  if (found == flights_.end() || found->second.uncached <= chunk()) return;
  auto& rate = learnt(found->second.replica).rate;
  rate += 0.1 * (found->second.uncached / std::max(0.05, seconds(now - found->second.sent)) - rate);
}

void Places::end(TurnId turn, const TokenCounts& tokens, Instant now) {
  const auto found = flights_.find(turn);
  if (found == flights_.end()) return;
  const auto flight = found->second;
  flights_.erase(found);
  done(flight.group);
  auto& c = convs_.at(flight.conversation);
  --c.in_flight;
  if (c.home == flight.replica) use(c, flight.replica, now);
  if (tokens.prompt) {
    learn(flight, c, tokens, now);
    c.context = static_cast<double>(*tokens.prompt + tokens.completion.value_or(0));
  } else {
    c.context = std::max(c.context, c.prompt);
  }
  trim(flight.replica);
}

void Places::move(TurnId turn, ReplicaId replica, Instant now) {
  const auto found = flights_.find(turn);
  if (found == flights_.end()) return;
  found->second.replica = replica;
  use(convs_.at(found->second.conversation), replica, now);
}

void Places::forget(Conv& c) {
  if (c.in_flight > 0 || !c.home) return;
  learnt(*c.home).recent.remove(c.key);
  c.home.reset();
  c.place = false;
  c.context = 0;
}

void Places::forget(ReplicaId replica) {
  for (const auto key : learnt(replica).recent) {
    auto& c = convs_.at(key);
    c.place = false;
    c.home.reset();
    if (c.queued == 0 && c.in_flight == 0) convs_.erase(key);
  }
  learnt(replica).recent.clear();
}

// May one more turn wait, and is there one that has waited long enough for this place and could use it?
bool Places::is_due(const Conv& holder, Instant now) {
  const bool in_budget = queued_share_ < settings_.wait_share;
  const double long_enough = patience / (settings_.wait_share * settings_.wait_share) * rebuild(holder);
  for (const auto* waiter : in_order(now)) {
    const auto& c = convs_.at(waiter->request.conversation);
    if (c.place || (c.home != holder.home && kept(c) > chunk())) continue;
    if (!is_overdue(*waiter, now) && (!in_budget || seconds(now - waiter->arrived) < long_enough))
      return false;
    if (fits(c, waiter->request, *holder.home, &holder)) return true;
  }
  return false;
}

// While someone waits, idle places expire.
void Places::expire_idle(Instant now) {
  const bool waits = std::ranges::any_of(
      queue_, [&](const auto& w) { return !convs_.at(w.second.request.conversation).place; });
  if (!waits) return;
  for (auto& [key, c] : convs_) {
    if (c.place && c.in_flight == 0 && c.queued == 0 && now - c.used > hold(c)) {
      leave(c);
      ++rotations_;
    }
  }
}

// A session's turns are served in order of arrival; those beyond its first few under way let other sessions'
// pass, so that one with many sub-agents does not hold up the others (start-time fair queueing).
std::uint64_t Places::tag_of(GroupKey group) {
  auto& session = sessions_[group];
  ++session.turns;
  session.next = std::max(session.next, served_) + 1;
  return std::max(served_, session.next > session_turns ? session.next - session_turns : 0);
}

void Places::done(GroupKey group) {
  const auto session = sessions_.find(group);
  if (--session->second.turns == 0) sessions_.erase(session);
}

// The queue as it is served: who has waited too long first.
std::vector<const Places::Waiter*> Places::in_order(Instant now) const {
  std::vector<const Waiter*> order;
  for (const auto& [turn, waiter] : queue_) order.push_back(&waiter);
  std::ranges::sort(order, {}, [&](const Waiter* waiter) {
    return std::tuple(!is_overdue(*waiter, now), waiter->tag, waiter->turn);
  });
  return order;
}

std::optional<Admitted> Places::next(Instant now) {
  expire_idle(now);
  if (const auto* holder = next_holder())
    return send(*holder, *convs_.at(holder->request.conversation).home, now);
  std::vector<ReplicaId> claimed;
  for (const bool elsewhere : {false, true}) {
    if (const auto admitted = next_newcomer(elsewhere, claimed, now)) return admitted;
  }
  return std::nullopt;
}

// A turn of a conversation that holds a place goes at once. Where the conversations have outgrown the cache,
// the newest loses its place.
const Places::Waiter* Places::next_holder() {
  for (const auto& [turn, waiter] : queue_) {
    auto& c = convs_.at(waiter.request.conversation);
    if (!c.place) continue;
    if (fits(c, waiter.request, *c.home)) return &waiter;
    if (c.in_flight == 0) leave(c);
  }
  return nullptr;
}

// The others in their order: those that have a home there first; elsewhere when that has taken longer than to
// read again what home keeps. What an older one waits for no younger one may take.
std::optional<Admitted> Places::next_newcomer(bool elsewhere, std::vector<ReplicaId>& claimed, Instant now) {
  for (const auto* waiter : in_order(now)) {
    auto& c = convs_.at(waiter->request.conversation);
    if (c.place) continue;
    const bool at_home = has_home(c);
    if (elsewhere && (!at_home || seconds(now - waiter->arrived) < kept(c) / learnt(*c.home).rate)) continue;
    std::optional<ReplicaId> to, roomiest;
    double most = 0;
    std::tuple<double, bool, bool, std::size_t, double> lowest;
    for (const auto& replica : replicas_.replicas()) {
      if (!replicas_.usable(replica.id) || std::ranges::find(claimed, replica.id) != claimed.end()) continue;
      if (at_home && (replica.id == c.home) == elsewhere) continue;
      const double left = room(c, waiter->request, replica.id, nullptr).left;
      if (!roomiest || left > most) roomiest = replica.id, most = left;
      if (!fits(c, waiter->request, replica.id)) continue;
      const auto& draws = waiter->request.attraction;
      const auto drawn_to = c.home ? c.home : draws.replica;
      const double load = replica.in_flight - (!c.home && replica.id == draws.replica ? draws.worth : 0);
      const std::tuple rank(load, replica.id != drawn_to, is_full(replica, now),
                            learnt(replica.id).recent.size(), -left);
      if (!to || rank < lowest) to = replica.id, lowest = rank;
    }
    if (!to && roomiest && is_overdue(*waiter, now)) {
      make_room(c, waiter->request, *roomiest);
      if (fits(c, waiter->request, *roomiest)) to = roomiest;
    }
    if (to) return send(*waiter, *to, now);
    if (roomiest) claimed.push_back(at_home ? *c.home : *roomiest);
  }
  return std::nullopt;
}

// Takes places from idle conversations, the longest held first, until the turn fits.
void Places::make_room(const Conv& asks, const PlaceRequest& request, ReplicaId replica) {
  while (!fits(asks, request, replica)) {
    Conv* oldest = nullptr;
    for (const auto key : learnt(replica).recent) {
      auto& other = convs_.at(key);
      if (!other.place || other.in_flight > 0) continue;
      if (!oldest || other.since < oldest->since) oldest = &other;
    }
    if (!oldest) return;
    leave(*oldest);
    ++rotations_;
  }
}

Admitted Places::send(const Waiter& waiter, ReplicaId replica, Instant now) {
  const auto [turn, request, arrived, tag] = waiter;
  served_ = std::max(served_, tag);
  auto& c = convs_.at(request.conversation);
  const double keeps = c.home == replica ? kept(c) : 0;
  flights_[turn] = {.conversation = c.key,
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
  if (!c.place) c.since = now;
  c.place = true;
  c.prompt = request.prompt;
  ++c.in_flight;
  queue_.erase(turn);
  --c.queued;
  use(c, replica, now);
  return {turn, replica};
}

void Places::leave(Conv& c) { c.place = false; }

void Places::use(Conv& c, ReplicaId home, Instant now) {
  if (c.home) learnt(*c.home).recent.remove(c.key);
  learnt(home).recent.push_front(c.key);
  c.home = home;
  c.used = now;
}

// Forgets the conversations of which a replica keeps nothing.
void Places::trim(ReplicaId replica) {
  double left = keeps_at_most(replica);
  std::erase_if(learnt(replica).recent, [&](ConversationKey key) {
    const auto& c = convs_.at(key);
    const bool gone = left <= 0 && !c.place && c.queued == 0 && c.in_flight == 0;
    left -= std::max(0.0, c.context - shared(c.head));
    if (gone) convs_.erase(key);
    return gone;
  });
}

}  // namespace lmw::routing
