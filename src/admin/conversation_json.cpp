#include "admin/conversation_json.hpp"

#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "admin/cache_json.hpp"
#include "admin/why_json.hpp"

namespace lmw::admin {

using nlohmann::json;

namespace {

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

json shares_json(const routing::CachedShares& shares) {
  json list = json::array();
  for (const auto share : shares.all())
    list.push_back(share == routing::CachedShares::unmeasured ? json(nullptr) : json(share));
  return list;
}

}  // namespace

json conversation_json(const routing::Conversation& conversation, const routing::ReplicaSet& replicas,
                       Instant now) {
  const auto& home = replicas[conversation.home];
  return {{"key", hex(conversation.key.conversation.value())},
          {"group", hex(conversation.key.group.value())},
          {"parent", conversation.key.parent ? json(hex(conversation.key.parent->value())) : json(nullptr)},
          {"source", routing::name_of(conversation.source)},
          {"home", home.id.value()},
          {"endpoint", replicas[home.endpoint].url},
          {"rank", home.rank},
          {"turns", conversation.turns},
          {"in_flight", conversation.in_flight},
          {"context_tokens", or_null(conversation.context)},
          {"last_prompt_tokens", or_null(conversation.last_prompt)},
          {"last_cached_tokens", or_null(conversation.last_cached)},
          {"cached_percents", shares_json(conversation.cached_shares)},
          {"estimated_saved_tokens", conversation.saved},
          {"last_turn", account_json(conversation.last_account)},
          {"last_seen_s", seconds(now - conversation.last_active)}};
}

json conversations_json(const gateway::Pool& pool, Instant now, std::size_t limit) {
  json conversations = json::array();
  pool.router.table().for_each([&](const routing::Conversation& conversation) {
    if (conversations.size() >= limit) return false;
    conversations.push_back(conversation_json(conversation, pool.router.replicas(), now));
    return true;
  });
  return {{"total", pool.router.table().size()}, {"conversations", std::move(conversations)}};
}

namespace {

std::optional<routing::ConversationKey> key_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return routing::ConversationKey(value);
}

json or_none(const std::optional<routing::ReplicaId>& replica) {
  return replica ? json(replica->value()) : json(nullptr);
}

json turn_json(const routing::TurnRecord& turn, const routing::ReplicaSet& replicas, Instant now) {
  return {{"outcome", routing::name_of(turn.outcome)},
          {"end", routing::name_of(turn.end)},
          {"endpoint", replicas[turn.endpoint].url},
          {"replica", or_none(turn.replica)},
          {"ended_s", seconds(now - turn.ended)},
          {"took_s", seconds(turn.ended - turn.sent)},
          {"ttfb_s", turn.ttfb ? json(seconds(*turn.ttfb)) : json(nullptr)},
          {"prompt_tokens", or_null(turn.tokens.prompt)},
          {"cached_tokens", or_null(turn.tokens.cached)},
          {"completion_tokens", or_null(turn.tokens.completion)},
          {"account", account_json(turn.account)},
          {"why", why_json(turn.why)},
          {"counterfactual", counterfactual_json(turn.engine)}};
}

}  // namespace

json conversation_turns_json(const gateway::Pool& pool, std::string_view key, Instant now) {
  const auto wanted = key_of(key);
  const auto* conversation = wanted ? pool.router.table().find(*wanted) : nullptr;
  if (!conversation) return nullptr;
  json turns = json::array();
  for (const auto& turn : pool.router.log().turns()) {
    if (turn.conversation == wanted) turns.push_back(turn_json(turn, pool.router.replicas(), now));
  }
  return {{"conversation", conversation_json(*conversation, pool.router.replicas(), now)},
          {"turns", std::move(turns)}};
}

namespace {

using Waits = std::map<routing::TurnId, routing::Waiting>;

// Of each pool in which a turn is held.
std::map<const gateway::Pool*, Waits> waits_of(const gateway::InFlight& in_flight, Instant now) {
  std::map<const gateway::Pool*, Waits> pools;
  for (const auto& [number, turn] : in_flight.turns()) {
    if (!turn->held || pools.contains(&turn->pool)) continue;
    auto& waits = pools[&turn->pool];
    for (auto& waiting : turn->pool.router.places().waiting_turns(now)) waits.emplace(waiting.turn, waiting);
  }
  return pools;
}

json held_json(const routing::Waiting& waiting) {
  const auto& wait = waiting.expected_wait;
  return {{"position", waiting.position},
          {"expected_wait_ms", wait ? json(std::llround(1000 * seconds(*wait))) : json(nullptr)},
          {"replica", or_none(waiting.replica)},
          {"needs_tokens", std::llround(waiting.needs)},
          {"room_tokens", std::llround(waiting.room)},
          {"places_running", waiting.running},
          {"places_pausing", waiting.pausing}};
}

json in_flight_turn_json(const gateway::TurnUnderWay& turn, Instant now) {
  const auto& decision = turn.decision;
  const auto& tokens = turn.prompt_tokens;
  return {{"model", turn.pool.name},
          {"conversation", turn.conversation ? json(hex(turn.conversation->value())) : json(nullptr)},
          {"client", turn.client},
          {"phase", !decision          ? "held"
                    : turn.has_content ? "streaming"
                                       : "prefill"},
          {"age_s", seconds(now - turn.since)},
          {"prompt_tokens_estimate", tokens ? json(std::llround(*tokens)) : json(nullptr)},
          {"content_events", or_null(turn.progress.content_events)},
          {"held", nullptr},
          {"outcome", decision ? json(routing::name_of(decision->outcome)) : json(nullptr)},
          {"replica", decision ? or_none(decision->replica) : json(nullptr)}};
}

}  // namespace

json in_flight_json(const gateway::InFlight& in_flight, Instant now) {
  const auto waits = waits_of(in_flight, now);
  json list = json::array();
  for (const auto& [number, turn] : in_flight.turns()) {
    auto& shown = list.emplace_back(in_flight_turn_json(*turn, now));
    shown["number"] = number;
    if (!turn->held) continue;
    const auto& pool = waits.at(&turn->pool);
    if (const auto found = pool.find(*turn->held); found != pool.end())
      shown["held"] = held_json(found->second);
  }
  return list;
}

}  // namespace lmw::admin
