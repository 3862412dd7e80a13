#include "admin/working_set.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace lmw::admin {

namespace {

std::string tokens_text(double tokens) {
  if (tokens < 1000) return fmt::format("{:.0f}", tokens);
  if (tokens < 1'000'000) return fmt::format("{:.0f}k", tokens / 1000);
  return fmt::format("{:.1f}M", tokens / 1'000'000);
}

std::string counted(int n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

double share(const WorkingSet& set) {
  return set.capacity ? static_cast<double>(set.tokens) / static_cast<double>(*set.capacity) : 0;
}

struct Box {
  int conversations = 0;
  double tokens = 0;
  double capacity = 0;

  double context() const { return tokens / std::max(1, conversations); }
  int room() const { return static_cast<int>(capacity / std::max(1.0, context())); }  // conversations
};

Box sum_of(const std::vector<WorkingSet>& sets) {
  Box box;
  for (const auto& set : sets) {
    box.conversations += set.conversations;
    box.tokens += static_cast<double>(set.tokens);
    box.capacity += static_cast<double>(set.capacity.value_or(0));
  }
  return box;
}

std::string tier_text(const WorkingSet& set) {
  if (set.host_tier) return "";
  return " Host memory for what is evicted would help most: vllm serve --kv-offloading-size.";
}

std::string room_text(const WorkingSet& set, const Box& box, std::size_t replicas) {
  const double context = static_cast<double>(set.tokens) / std::max(1, set.conversations);
  const auto here = static_cast<int>(static_cast<double>(*set.capacity) / std::max(1.0, context));
  auto text = here == 0 ? std::string("not one of them fits here") : fmt::format("{} fit here", here);
  if (replicas > 1) {
    text += fmt::format(", {} of {} on this box of {} replicas", std::min(box.room(), box.conversations),
                        box.conversations, replicas);
  }
  return text;
}

}  // namespace

std::string_view name_of(Fit fit) {
  switch (fit) {
    case Fit::unknown:
      return "unknown";
    case Fit::fits:
      return "fits";
    case Fit::tight:
      return "tight";
    case Fit::thrashing:
      return "thrashing";
  }
  return "";
}

Fit WorkingSet::fit() const {
  if (!capacity || *capacity <= 0) return Fit::unknown;
  if (tokens > *capacity && evicted > 0) return Fit::thrashing;
  return share(*this) > tight_from ? Fit::tight : Fit::fits;
}

std::vector<WorkingSet> working_sets(const routing::Router& router, Instant now) {
  const auto& all = router.replicas().replicas();
  std::vector<WorkingSet> by_id(all.size());
  router.table().for_each([&](const routing::Conversation& conversation) {
    if (now - conversation.last_active > WorkingSet::live) return false;
    auto& set = by_id[conversation.home.value()];
    ++set.conversations;
    set.tokens += conversation.context.value_or(0);
    return true;
  });
  for (const auto& turn : router.log().turns()) {
    const bool evicted = turn.account && turn.account->miss == routing::Miss::evicted;
    if (evicted && turn.replica && now - turn.ended <= WorkingSet::live)
      ++by_id[turn.replica->value()].evicted;
  }
  std::vector<WorkingSet> sets;
  for (const auto& replica : all) {
    if (!replica.present) continue;
    auto& set = sets.emplace_back(by_id[replica.id.value()]);
    set.replica = replica.id.value();
    set.capacity = replica.kv_capacity_tokens;
    set.host_tier = replica.host_kv_tokens != 0;
  }
  return sets;
}

std::string advice(const std::vector<WorkingSet>& sets, bool places_on) {
  const auto box = sum_of(sets);
  if (box.conversations == 0 || box.tokens == 0) return "";
  if (std::ranges::any_of(sets, [](const auto& set) { return set.fit() == Fit::unknown; })) {
    return "The engine does not tell its KV capacity: whether live conversations fit is not known. Set "
           "engine.kv_capacity_tokens.";
  }
  const auto& worst = *std::ranges::max_element(sets, {}, share);
  const double context = static_cast<double>(worst.tokens) / std::max(1, worst.conversations);
  const auto sum =
      fmt::format("{} × {} = {} on replica {}, which keeps {}", counted(worst.conversations, "conversation"),
                  tokens_text(context), tokens_text(static_cast<double>(worst.tokens)), worst.replica,
                  tokens_text(static_cast<double>(*worst.capacity)));
  switch (worst.fit()) {
    case Fit::thrashing:
      return fmt::format("{}: {}; {}.", sum,
                         places_on ? "more than fits, so conversations take turns in it"
                                   : "prefixes are evicted before they are used again",
                         room_text(worst, box, sets.size())) +
             tier_text(worst);
    case Fit::tight:
      if (worst.tokens > *worst.capacity) {
        return fmt::format(
            "{}: more than fits, but no turn has missed anything evicted in the last {:.0f} min; {}.", sum,
            seconds(WorkingSet::live) / 60, room_text(worst, box, sets.size()));
      }
      return fmt::format("{}: nearly full, the next long conversation evicts another one; {}.", sum,
                         room_text(worst, box, sets.size()));
    default:
      return fmt::format("All {} fit: {} of {} tokens; at {} each there is room for about {} more.",
                         counted(box.conversations, "live conversation"), tokens_text(box.tokens),
                         tokens_text(box.capacity), tokens_text(box.context()),
                         std::max(0, box.room() - box.conversations));
  }
}

}  // namespace lmw::admin
