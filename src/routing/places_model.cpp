// What is known of conversations and replicas, and what is learnt of them.
#include <algorithm>
#include <cmath>

#include "routing/placement.hpp"
#include "routing/places.hpp"

namespace lmw::routing {

namespace {

constexpr double block = 16;          // tokens of a KV block
constexpr double most_chunk = 2'048;  // tokens of one prefill step

// In whole blocks.
double blocks(double tokens) { return std::ceil(std::max(1.0, tokens) / block) * block; }

}  // namespace

Places::Conv& Places::conv(const PlaceRequest& request) {
  auto& c = convs_[request.conversation];
  c.key = request.conversation;
  if (c.head != request.head) change(c, [&] { c.head = request.head; });
  return c;
}

PlaceHome& Places::home_of(ReplicaId replica) {
  if (replica.value() >= homes_.size()) homes_.resize(replicas_.replicas().size());
  return homes_[replica.value()];
}

const PlaceHome& Places::home_of(ReplicaId replica) const {
  static const PlaceHome unknown;
  return replica.value() < homes_.size() ? homes_[replica.value()] : unknown;
}

// By the engine's own gauge: there may be more on it than our turns.
bool Places::is_full(const Replica& replica, Instant now) const {
  return replica.reading && now - replica.reading->at < fresh_reading &&
         replica.reading->kv_used >= Ceiling::full_kv;
}

double Places::capacity(ReplicaId replica) const {
  const auto told = replicas_[replica].kv_capacity_tokens;
  return told ? static_cast<double>(*told) : home_of(replica).capacity;
}

// Tokens in its cache and, where there is one, its host tier, which has a copy of what is in the cache.
double Places::keeps_at_most(ReplicaId replica) const {
  return std::max(capacity(replica), static_cast<double>(replicas_[replica].host_kv_tokens.value_or(0)));
}

double Places::shared(std::uint64_t head) const {
  const auto found = shared_.find(head);
  return found == shared_.end() ? 0 : found->second;
}

double Places::chunk() const { return std::min(most_chunk, context_ / 4); }

// What a conversation takes beside the prefix that it shares. Of the answers under way half is there, on the
// average.
double Places::own(const Conv& c) const {
  return blocks((c.in_flight > 0 ? c.prompt + output_ / 2 : c.context) - shared(c.head));
}

// The same of a turn, to its end.
double Places::own(const PlaceRequest& request) const {
  return blocks(request.prompt + output_ - shared(request.head));
}

// Tokens of the cache that a conversation uses beside the prefix that it shares.
double Places::used_by(const Conv& c) const {
  return std::max(0.0, (c.in_flight > 0 ? c.prompt : c.context) - shared(c.head));
}

// Tokens of a conversation that its home still keeps.
double Places::kept(const Conv& c) {
  if (!c.home) return 0;
  if (home_of(*c.home).changed) look_through(*c.home);
  return c.kept;
}

// Counts what a replica keeps of each conversation: eviction goes by last use, so what was used later there
// has taken its room first, and so has what is in use now. Those of which nothing is kept are forgotten.
void Places::look_through(ReplicaId replica) {
  auto& home = home_of(replica);
  double left = keeps_at_most(replica);
  for (const auto* c : home.recent) left -= c->in_flight > 0 ? used_by(*c) : 0;
  for (auto next = home.recent.begin(); next != home.recent.end();) {
    auto& c = **next++;
    const double room = left - shared(c.head) + (c.in_flight > 0 ? used_by(c) : 0);
    c.kept = std::clamp(room, 0.0, std::max(0.0, c.context - shared(c.head)));
    const bool gone = left <= 0 && !c.place && c.queued == 0 && c.in_flight == 0;
    if (c.in_flight == 0) left -= used_by(c);
    if (!gone) continue;
    home.recent.erase(c.at);
    convs_.erase(c.key);
  }
  home.looked_at = home.recent.size();
  home.changed = false;
}

// Its home kept enough of it, as of the last look, to be worth going there, or all that there is.
bool Places::has_home(const Conv& c) const {
  if (!c.home || !replicas_.usable(*c.home)) return false;
  return c.kept > chunk() || c.kept >= c.context - shared(c.head);
}

// Seconds to bring back what a conversation has of its own once it is evicted: from the host tier, or by
// reading it again.
double Places::rebuild(const Conv& c) const {
  const auto& home = replicas_[*c.home];
  const double rate = home.host_kv_tokens.value_or(0) > 0 ? home.host_kv_rate : home_of(*c.home).rate;
  return std::max(0.0, c.context - shared(c.head)) / rate;
}

// How long an idle conversation keeps its place while others wait.
Duration Places::hold(const Conv& c) const {
  return std::max(least_hold, from_seconds(std::min(1.5 * gap_, rebuild(c))));
}

// The room on a replica beside the conversations that hold a place there. A conversation that holds a place
// itself ignores the idle ones that came after it.
Places::Room Places::room(const Conv& asks, const PlaceRequest& request, ReplicaId replica,
                          const Conv* without) const {
  const auto& home = home_of(replica);
  double left = capacity(replica) - own(request) - home.taken - home.shared;
  int places = home.places;
  if (!home.heads.contains(asks.head)) left -= shared(asks.head);
  const auto leave_out = [&](const Conv& other) { left += other.takes, --places; };
  const bool holds = asks.place && asks.home == replica;
  if (holds) leave_out(asks);
  if (without && without->place && without->home == replica) leave_out(*without);
  if (!holds || left >= 0) return {left, places == 0};
  for (const auto* other : idle_) {
    if (other->home == replica && other->since > asks.since && other != without) leave_out(*other);
  }
  return {left, places == 0};
}

// Takes a place into the sums of its replica.
void Places::count(Conv& c) {
  auto& home = home_of(*c.home);
  c.takes = own(c);
  home.taken += c.takes;
  ++home.places;
  holders_queued_ += c.queued;
  if (home.heads[c.head]++ == 0) home.shared += shared(c.head);
  if (c.in_flight > 0) {
    ++home.running;
  } else {
    c.pause = idle_.insert(idle_.end(), &c);
  }
}

void Places::uncount(Conv& c) {
  auto& home = home_of(*c.home);
  home.taken -= c.takes;
  --home.places;
  holders_queued_ -= c.queued;
  const auto head = home.heads.find(c.head);
  if (--head->second == 0) {
    home.shared -= shared(c.head);
    home.heads.erase(head);
  }
  if (c.in_flight > 0) {
    --home.running;
  } else {
    idle_.erase(c.pause);
  }
}

bool Places::has_slot(const Replica& replica) const {
  return replica.in_flight <
         replica.max_num_seqs.value_or(replica.learnt_max_num_seqs.value_or(assumed_max_num_seqs));
}

bool Places::fits(const Conv& asks, const PlaceRequest& request, ReplicaId id, const Conv* without) const {
  if (!replicas_.usable(id) || !has_slot(replicas_[id])) return false;
  const auto beside = room(asks, request, id, without);
  return beside.empty || beside.left >= 0;
}

void Places::learn(const Flight& flight, const Conv& c, const TokenCounts& tokens, Instant now) {
  const double total = static_cast<double>(*tokens.prompt + tokens.completion.value_or(0));
  if (tokens.completion) output_ += 0.05 * (static_cast<double>(*tokens.completion) - output_);
  context_ += 0.05 * (total - context_);
  if (!tokens.cached) return;
  const auto cached = static_cast<double>(*tokens.cached);
  if (flight.begins && cached > 0) learn_shared(flight.head, cached);
  if (replicas_[flight.replica].kv_capacity_tokens || flight.expected <= chunk() || c.context == 0) return;
  // The capacity is not known: it is less where something that should be cached is not.
  auto& replica = home_of(flight.replica);
  if (cached < 0.6 * flight.expected) {
    if (seconds(now - replica.cut) > 10) replica.capacity *= 0.88, replica.cut = now;
  } else if (!queue_.empty()) {
    replica.capacity *= 1.004;
  }
}

// How long the prefix is that conversations with this head share.
void Places::learn_shared(std::uint64_t head, double cached) {
  if (shared_.size() >= max_heads) {
    shared_.clear();
    for (auto& home : homes_) home.shared = 0;
  }
  const auto [known, is_new] = shared_.try_emplace(head, 0);
  const double more = (is_new ? 1.0 : 0.2) * (cached - known->second);
  known->second += more;
  for (auto& home : homes_) {
    if (home.heads.contains(head)) home.shared += more;
    if (std::abs(more) >= block) home.changed = true;
  }
}

}  // namespace lmw::routing
