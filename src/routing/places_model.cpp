// What is known of conversations and replicas, and what is learnt of them.
#include <algorithm>
#include <cmath>

#include "routing/placement.hpp"
#include "routing/places.hpp"

namespace lmw::routing {

namespace {

constexpr double block = 16;          // tokens of a KV block
constexpr double most_chunk = 2'048;  // tokens of one prefill step
constexpr double least_hold = 0.2;    // seconds

// In whole blocks.
double blocks(double tokens) { return std::ceil(std::max(1.0, tokens) / block) * block; }

}  // namespace

Places::Conv& Places::conv(const PlaceRequest& request) {
  auto& c = convs_[request.conversation];
  c.key = request.conversation;
  c.head = request.head;
  return c;
}

Places::Learnt& Places::learnt(ReplicaId replica) { return learnt_[replica]; }

// By the engine's own gauge: there may be more on it than our turns.
bool Places::is_full(const Replica& replica, Instant now) const {
  return replica.reading && now - replica.reading->at < fresh_reading &&
         replica.reading->kv_used >= Ceiling::full_kv;
}

double Places::capacity(ReplicaId replica) const {
  if (const auto told = replicas_[replica].kv_capacity_tokens) return static_cast<double>(*told);
  const auto found = learnt_.find(replica);
  return found == learnt_.end() ? Learnt{}.capacity : found->second.capacity;
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

// What a conversation takes beside the prefix that it shares, now or in its next turn.
double Places::own(const Conv& c) const {
  return blocks((c.in_flight > 0 ? c.prompt : c.context) + output_ - shared(c.head));
}

double Places::own(const PlaceRequest& request) const {
  return blocks(request.prompt + output_ - shared(request.head));
}

// Tokens of a conversation that its home still keeps: eviction goes by last use, so what was used later there
// has taken its room first, and so has what is in use now.
double Places::kept(const Conv& c) const {
  if (!c.home) return 0;
  double left = keeps_at_most(*c.home) - shared(c.head);
  bool later = true;
  for (const auto key : learnt_.at(*c.home).recent) {
    const auto& other = convs_.at(key);
    if (key == c.key) later = false;
    if (key == c.key || (!later && other.in_flight == 0)) continue;
    left -= std::max(0.0, (other.in_flight > 0 ? other.prompt : other.context) - shared(other.head));
  }
  return std::clamp(left, 0.0, std::max(0.0, c.context - shared(c.head)));
}

// Its home still keeps enough of it to be worth going there, or all that there is.
bool Places::has_home(const Conv& c) const {
  if (!c.home || !replicas_.usable(*c.home)) return false;
  const double keeps = kept(c);
  return keeps > chunk() || keeps >= c.context - shared(c.head);
}

// Seconds to bring back what a conversation has of its own once it is evicted: from the host tier, or by
// reading it again.
double Places::rebuild(const Conv& c) const {
  const auto& home = replicas_[*c.home];
  const double rate = home.host_kv_tokens.value_or(0) > 0 ? home.host_kv_rate : learnt_.at(*c.home).rate;
  return std::max(0.0, c.context - shared(c.head)) / rate;
}

// How long an idle conversation keeps its place while others wait.
Duration Places::hold(const Conv& c) const {
  return from_seconds(std::max(least_hold, std::min(1.5 * gap_, rebuild(c))));
}

// The room on a replica beside the conversations that hold a place there, and one answer more: some are
// longer than others, and an engine that is too full computes a whole turn again. A conversation that holds a
// place itself ignores the idle ones that came after it.
Places::Room Places::room(const Conv& asks, const PlaceRequest& request, ReplicaId replica,
                          const Conv* without) const {
  Room result{.left = capacity(replica) - output_ - shared(asks.head) - own(request)};
  const auto found = learnt_.find(replica);
  if (found == learnt_.end()) return result;
  std::vector<std::uint64_t> heads = {asks.head};
  for (const auto key : found->second.recent) {
    const auto& other = convs_.at(key);
    if (!other.place || &other == &asks || &other == without) continue;
    if (asks.place && other.in_flight == 0 && other.since > asks.since) continue;
    result.empty = false;
    result.left -= own(other);
    if (std::ranges::find(heads, other.head) != heads.end()) continue;
    heads.push_back(other.head);
    result.left -= shared(other.head);
  }
  return result;
}

bool Places::fits(const Conv& asks, const PlaceRequest& request, ReplicaId id, const Conv* without) const {
  const auto& replica = replicas_[id];
  const int seqs = replica.max_num_seqs.value_or(replica.learnt_max_num_seqs.value_or(assumed_max_num_seqs));
  if (!replicas_.usable(id) || replica.in_flight >= seqs) return false;
  const auto beside = room(asks, request, id, without);
  return beside.empty || beside.left >= 0;
}

void Places::learn(const Flight& flight, const Conv& c, const TokenCounts& tokens, Instant now) {
  const double total = static_cast<double>(*tokens.prompt + tokens.completion.value_or(0));
  if (tokens.completion) output_ += 0.05 * (static_cast<double>(*tokens.completion) - output_);
  context_ += 0.05 * (total - context_);
  if (!tokens.cached) return;
  const auto cached = static_cast<double>(*tokens.cached);
  if (flight.first && cached > 0) {
    if (shared_.size() >= max_heads) shared_.clear();
    const auto [known, is_new] = shared_.try_emplace(flight.head, cached);
    if (!is_new) known->second += 0.2 * (cached - known->second);
  }
  if (replicas_[flight.replica].kv_capacity_tokens || flight.expected <= chunk() || c.context == 0) return;
  // The capacity is not known: it is less where something that should be cached is not.
  auto& replica = learnt(flight.replica);
  if (cached < 0.6 * flight.expected) {
    if (seconds(now - replica.cut) > 10) replica.capacity *= 0.88, replica.cut = now;
  } else if (!queue_.empty()) {
    replica.capacity *= 1.004;
  }
}

}  // namespace lmw::routing
