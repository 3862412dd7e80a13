// Looks through the queue for newcomers, those that hold no place: who may go, and where.
#include <algorithm>
#include <limits>
#include <tuple>

#include "routing/places.hpp"

namespace lmw::routing {

// Idle places may expire once the first newcomer does not fit everywhere.
void Places::make_way(Instant now) {
  if (!has_newcomers()) return;
  const auto* newcomer =
      *std::ranges::find_if(order_, [](const Waiter* waiter) { return !waiter->conv->place; });
  const bool fits_everywhere = std::ranges::all_of(replicas_.replicas(), [&](const Replica& replica) {
    return !replicas_.usable(replica.id) || fits(*newcomer->conv, newcomer->request, replica.id);
  });
  if (!fits_everywhere) expire_idle(now);
}

void Places::begin_search() {
  search_.emplace(queue_.begin());
  for (const auto& replica : replicas_.replicas())
    search_->claimed.push_back(!replicas_.usable(replica.id) || !has_slot(replica));
  search_->unclaimed = std::ranges::count(search_->claimed, false);
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
    if (where == Where::home) {
      if (!search.claimed[conv->home->value()]) consider(conv->home->value());
      return;
    }
    for (std::uint32_t i = 0; i < search.claimed.size(); ++i) {
      if (!search.claimed[i] && (where == Where::anywhere || ReplicaId(i) != conv->home)) consider(i);
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
std::optional<Admitted> Places::next_newcomer(Search& search, Instant now) {
  while (search.unclaimed > 0) {
    const auto* waiter = next_of(search, now);
    if (!waiter && search.elsewhere) break;
    if (!waiter) {
      search.elsewhere = true;
      search.overdue = queue_.begin();
      search.at.reset();
      continue;
    }
    if (waiter->conv->place || (!search.elsewhere && waits_in_vain(*waiter, search))) continue;
    const auto where = candidates(*waiter, search.elsewhere, now);
    if (!where) continue;
    if (const auto admitted = serve(*waiter, *where, search, now)) return admitted;
  }
  return std::nullopt;
}

// Its home takes no more: a short way through a long queue.
bool Places::waits_in_vain(const Waiter& waiter, const Search& search) const {
  const auto& c = *waiter.conv;
  return c.home && search.claimed[c.home->value()] && !home_of(*c.home).changed && has_home(c);
}

const Places::Waiter* Places::next_of(Search& search, Instant now) {
  if (!search.at) {
    if (search.overdue != queue_.end() && is_overdue(search.overdue->second, now))
      return &(search.overdue++)->second;
    search.at = 0;
  }
  while (*search.at < order_.size()) {
    const auto* waiter = order_[(*search.at)++];
    if (!is_overdue(*waiter, now)) return waiter;
  }
  return nullptr;
}

std::optional<Admitted> Places::serve(const Waiter& waiter, Where where, Search& search, Instant now) {
  look_for(waiter.conv->head, search);
  auto [to, roomiest] = find_room(waiter, where, search, now);
  if (!to && roomiest && is_overdue(waiter, now)) {
    make_room(waiter, *roomiest);
    search.head.reset();
    if (fits(*waiter.conv, waiter.request, *roomiest)) to = roomiest;
  }
  if (to) {
    search.head.reset();
    return send(waiter, *to, now);
  }
  if (!roomiest) return std::nullopt;
  const auto claim = where == Where::anywhere ? *roomiest : *waiter.conv->home;
  if (!search.claimed[claim.value()]) search.claimed[claim.value()] = true, --search.unclaimed;
  return std::nullopt;
}

// The room on each replica for newcomers with a head, before what they need themselves.
void Places::look_for(std::uint64_t head, Search& search) const {
  if (search.head == head) return;
  search.head = head;
  search.left.clear();
  for (const auto& replica : replicas_.replicas()) {
    const auto& home = home_of(replica.id);
    const double also = home.heads.contains(head) ? 0 : shared(head);
    search.left.push_back(home.places == 0 ? std::numeric_limits<double>::infinity()
                                           : capacity(replica.id) - home.taken - home.shared - also);
  }
}

}  // namespace lmw::routing
