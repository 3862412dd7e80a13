#include "routing/shadow.hpp"

#include <algorithm>

namespace lmw::routing {

namespace {

// More than any cache holds.
constexpr std::int64_t everything = std::int64_t{1} << 40;

}  // namespace

const ShadowTrail::Visit* ShadowTrail::find(ReplicaId replica) const {
  const auto* end = visits_.data() + size_;
  const auto* found = std::find_if(visits_.data(), end, [&](const Visit& v) { return v.replica == replica; });
  return found == end ? nullptr : found;
}

void ShadowTrail::add(const Visit& visit) {
  auto* begin = visits_.data();
  auto* end = begin + size_;
  auto* old = std::find_if(begin, end, [&](const Visit& v) { return v.replica == visit.replica; });
  if (old == end && size_ == limit) old = begin;
  if (old == end) ++size_;
  if (old != end) std::move(old + 1, end, old);
  visits_[size_ - 1] = visit;
}

Shadow::State& Shadow::state(ReplicaId replica) {
  if (states_.size() <= replica.value()) states_.resize(replica.value() + 1);
  return states_[replica.value()];
}

ShadowTurn Shadow::send(const ReplicaSet& replicas, const ShadowTrail* trail, std::uint64_t head) {
  ShadowTurn turn{.first = !trail || trail->empty(), .head = head};
  const auto& all = replicas.replicas();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto id = all[(scan_ + i) % all.size()].id;
    if (!replicas.usable(id)) continue;
    if (!turn.replica || state(id).in_flight < state(*turn.replica).in_flight) turn.replica = id;
  }
  ++scan_;
  if (!turn.replica) return turn;
  auto& there = state(*turn.replica);
  ++there.in_flight;
  if (const auto* visit = trail ? trail->find(*turn.replica) : nullptr) {
    const auto capacity = replicas[*turn.replica].kv_capacity_tokens.value_or(everything);
    turn.kept = std::clamp(capacity - (there.written - visit->written), std::int64_t{0}, visit->context);
  }
  return turn;
}

std::optional<Counterfactual> Shadow::end(const ShadowTurn& turn, const TokenCounts& tokens,
                                          ShadowTrail* trail) {
  if (!turn.replica) return std::nullopt;
  auto& there = state(*turn.replica);
  --there.in_flight;
  if (!tokens.prompt || !trail) return std::nullopt;
  const auto cached = std::min(*tokens.prompt, std::max(turn.kept, shared(turn.head)));
  const auto context = *tokens.prompt + tokens.completion.value_or(0);
  there.written += context - cached;
  trail->add({*turn.replica, context, there.written});
  if (!tokens.cached) return std::nullopt;
  if (turn.first) {
    learn(turn.head, *tokens.cached);
    return std::nullopt;
  }
  return Counterfactual{*turn.replica, cached, *tokens.cached - cached};
}

void Shadow::forget(ReplicaId replica) { state(replica).written += everything; }

std::int64_t Shadow::shared(std::uint64_t head) const {
  const auto found = shared_.find(head);
  return found == shared_.end() ? 0 : static_cast<std::int64_t>(found->second);
}

void Shadow::learn(std::uint64_t head, std::int64_t cached) {
  if (cached == 0) return;  // its replica was cold
  if (shared_.size() >= max_heads) shared_.clear();
  const auto found = static_cast<double>(cached);
  const auto [known, is_new] = shared_.try_emplace(head, found);
  if (!is_new) known->second += 0.2 * (found - known->second);
}

}  // namespace lmw::routing
