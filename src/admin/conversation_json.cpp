#include "admin/conversation_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "admin/cache_json.hpp"

namespace lmw::admin {

using nlohmann::json;

namespace {

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

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

}  // namespace lmw::admin
