#include "routing/shadow.hpp"

#include <algorithm>
#include <limits>

#include "base/random.hpp"

namespace lmw::routing {

namespace {

constexpr std::int64_t block = 16;  // tokens: vLLM's default. Only whole blocks are found.
constexpr auto unknown_capacity = std::numeric_limits<std::int64_t>::max();

}  // namespace

void Shadow::grow() {
  const auto count = replicas_.replicas().size();
  if (in_flight_.size() == count) return;
  in_flight_.resize(count);
  by_server_.resize(count);
  for (auto& of_server : by_server_) of_server.resize(count);
  while (kept_.size() < count) kept_.emplace_back().reserve(most_kept);
}

ShadowTurn Shadow::send(ShadowTurn turn) {
  grow();
  const auto count = in_flight_.size();
  if (count == 0) return turn;
  turn.server = mix64(++sent_) % count;
  auto& of_server = by_server_[turn.server];
  int lowest = 0;
  const auto first = sent_ % count;  // the scan starts elsewhere each time
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = first + i < count ? first + i : first + i - count;
    const ReplicaId id(static_cast<std::uint32_t>(at));
    const int load = std::max(in_flight_[at], of_server[at] * static_cast<int>(count));
    if ((turn.replica && load >= lowest) || !replicas_.usable(id)) continue;
    turn.replica = id;
    lowest = load;
  }
  if (!turn.replica) return turn;
  ++in_flight_[turn.replica->value()];
  ++of_server[turn.replica->value()];
  return turn;
}

void Shadow::read(ShadowTurn& turn) {
  if (!turn.replica || !turn.conversation || turn.kept) return;
  const auto& all = kept_[turn.replica->value()];
  const auto found = std::ranges::find(all, *turn.conversation, &Kept::conversation);
  turn.kept = found == all.end() ? 0 : found->tokens;
  keep(*turn.replica, {*turn.conversation, turn.head, turn.context});
}

std::optional<Counterfactual> Shadow::end(ShadowTurn turn, const TokenCounts& tokens) {
  if (!turn.replica) return std::nullopt;
  --in_flight_[turn.replica->value()];
  --by_server_[turn.server][turn.replica->value()];
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

void Shadow::forget(ReplicaId replica) {
  if (replica.value() < kept_.size()) kept_[replica.value()].clear();
}

// It is the last used one now.
void Shadow::keep(ReplicaId replica, const Kept& what) {
  auto& kept = kept_[replica.value()];
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
