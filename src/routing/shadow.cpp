#include "routing/shadow.hpp"

#include <algorithm>
#include <limits>

#include "base/random.hpp"

namespace lmw::routing {

namespace {

constexpr std::int64_t block = 16;  // tokens: vLLM's default. Only whole blocks are found.
constexpr auto unknown_capacity = std::numeric_limits<std::int64_t>::max();

}  // namespace

Shadow::State& Shadow::state(ReplicaId replica) {
  const auto count = replicas_.replicas().size();
  while (states_.size() < count) states_.emplace_back().kept.reserve(most_kept);
  auto& found = states_[replica.value()];
  if (found.by_server.size() < count) found.by_server.resize(count);
  return found;
}

int Shadow::load(ReplicaId replica, std::size_t server) {
  const auto& there = state(replica);
  return std::max(there.in_flight, there.by_server[server] * static_cast<int>(there.by_server.size()));
}

ShadowTurn Shadow::send(ShadowTurn turn) {
  const auto& all = replicas_.replicas();
  if (all.empty()) return turn;
  turn.server = mix64(++sent_) % all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto id = all[(sent_ + i) % all.size()].id;  // the scan starts elsewhere each time
    if (!replicas_.usable(id)) continue;
    if (!turn.replica || load(id, turn.server) < load(*turn.replica, turn.server)) turn.replica = id;
  }
  if (!turn.replica) return turn;
  auto& there = state(*turn.replica);
  ++there.in_flight;
  ++there.by_server[turn.server];
  return turn;
}

void Shadow::read(ShadowTurn& turn) {
  if (!turn.replica || !turn.conversation || turn.kept) return;
  const auto& all = state(*turn.replica).kept;
  const auto found = std::ranges::find(all, *turn.conversation, &Kept::conversation);
  turn.kept = found == all.end() ? 0 : found->tokens;
  keep(*turn.replica, {*turn.conversation, turn.head, turn.context});
}

std::optional<Counterfactual> Shadow::end(ShadowTurn turn, const TokenCounts& tokens) {
  if (!turn.replica) return std::nullopt;
  auto& there = state(*turn.replica);
  --there.in_flight;
  --there.by_server[turn.server];
  if (!tokens.prompt || !turn.conversation) return std::nullopt;
  read(turn);
  keep(*turn.replica, {*turn.conversation, turn.head, *tokens.prompt + tokens.completion.value_or(0)});
  if (!tokens.cached) return std::nullopt;
  if (turn.begins) learn(turn.head, *tokens.cached);
  if (turn.first || turn.changed) return std::nullopt;
  const auto found = std::min(*tokens.prompt, std::max(*turn.kept, shared(turn.head)));
  const auto cached = found / block * block;
  return Counterfactual{*turn.replica, cached, *tokens.cached - cached};
}

void Shadow::forget(ReplicaId replica) { state(replica).kept.clear(); }

// It is the last used one now.
void Shadow::keep(ReplicaId replica, const Kept& what) {
  auto& kept = state(replica).kept;
  std::erase_if(kept, [&](const Kept& each) { return each.conversation == what.conversation; });
  if (kept.size() == most_kept) kept.erase(kept.begin());
  kept.push_back(what);
  std::int64_t all = shared(what.head);
  for (const auto& each : kept) all += own(each);
  // What was used longest ago goes first, and of it the end.
  auto too_much = all - replicas_[replica].kv_capacity_tokens.value_or(unknown_capacity);
  auto first_left = kept.begin();
  for (; too_much > 0 && first_left != kept.end() - 1; ++first_left) {
    const auto whole = own(*first_left);
    if (whole > too_much) {
      first_left->tokens -= too_much;
      break;
    }
    too_much -= whole;
  }
  kept.erase(kept.begin(), first_left);
}

std::int64_t Shadow::own(const Kept& kept) const {
  return std::max<std::int64_t>(0, kept.tokens - shared(kept.head));
}

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
