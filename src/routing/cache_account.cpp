#include "routing/cache_account.hpp"

#include <algorithm>

namespace lmw::routing {

namespace {

constexpr std::int64_t least_loss = 512;
constexpr std::int64_t least_share = 8;  // one part of so many

Miss reason_of(const CacheFacts& facts) {
  if (facts.engine_chose) return Miss::not_followed;
  if (!facts.kept) return facts.restarted ? Miss::engine_restarted : Miss::moved;
  return facts.broken ? Miss::prompt_changed : Miss::evicted;
}

std::int64_t slot_number(Instant at, Duration slot) { return at.time_since_epoch() / slot; }

}  // namespace

std::string_view name_of(Miss miss) {
  constexpr std::array<std::string_view, misses> names = {"none",    "first_turn",       "prompt_changed",
                                                          "moved",   "engine_restarted", "not_followed",
                                                          "evicted", "unmeasured"};
  return names[static_cast<std::size_t>(miss)];
}

CacheAccount account_of(const CacheFacts& facts, const TokenCounts& tokens) {
  if (!tokens.prompt) return {.miss = Miss::unmeasured};
  CacheAccount account{.expected = std::min(facts.kept.value_or(0), *tokens.prompt)};
  if (!facts.context) {
    account.miss = Miss::first_turn;
  } else if (!tokens.cached) {
    account.miss = Miss::unmeasured;
  } else {
    const auto there_was = std::min(*facts.context, *tokens.prompt);
    const auto lost = there_was - *tokens.cached;
    if (lost < std::max(least_loss, there_was / least_share)) return account;
    account.lost = lost;
    account.miss = reason_of(facts);
    if (account.miss == Miss::prompt_changed) account.broken = facts.broken;
  }
  return account;
}

void CacheCounters::add(const CacheAccount& account) {
  const auto index = static_cast<std::size_t>(account.miss);
  ++turns[index];
  lost[index] += account.lost;
}

std::int64_t PromptBreaks::Entry::lost_last_hour(Instant now) const {
  std::int64_t sum = 0;
  for (const auto& each : recent_) {
    if (each.number > slot_number(now, slot) - slots) sum += each.lost;
  }
  return sum;
}

void PromptBreaks::add(std::string_view client, const PromptBreak& where, std::int64_t lost, Instant now) {
  auto found = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return entry.client == client && entry.where == where; });
  if (found != entries_.end()) {
    std::rotate(entries_.begin(), found, found + 1);
  } else {
    if (entries_.size() >= limit) entries_.pop_back();
    entries_.emplace_front();
    entries_.front().client = client;
    entries_.front().where = where;
  }
  auto& entry = entries_.front();
  ++entry.turns;
  entry.lost += lost;
  entry.last = now;
  const auto number = slot_number(now, Entry::slot);
  auto& slot = entry.recent_[static_cast<std::size_t>(number % Entry::slots)];
  if (slot.number != number) slot = {number, 0};
  slot.lost += lost;
}

}  // namespace lmw::routing
