#include "admin/cache_json.hpp"

#include <algorithm>

namespace lmw::admin {

namespace {

using nlohmann::json;
using Part = routing::PromptBreak::Part;

json place_json(const routing::PromptBreak& where) {
  const auto part = where.part == Part::system ? "system" : where.part == Part::tools ? "tools" : "message";
  return {{"part", part},
          {"message", where.part == Part::message ? json(where.message) : json(nullptr)},
          {"character", or_null(where.character)}};
}

}  // namespace

json misses_json(const routing::CacheCounters& cache) {
  json out;
  for (std::size_t i = 0; i < routing::misses; ++i) {
    out[std::string(routing::name_of(static_cast<routing::Miss>(i)))] = {{"turns", cache.turns[i]},
                                                                         {"lost_tokens", cache.lost[i]}};
  }
  return out;
}

json account_json(const std::optional<routing::CacheAccount>& account) {
  if (!account) return nullptr;
  return {{"expected_tokens", or_null(account->expected)},
          {"lost_tokens", account->lost},
          {"miss", routing::name_of(account->miss)},
          {"changed_at", account->broken ? place_json(*account->broken) : json(nullptr)}};
}

json prompt_breaks_json(const routing::PromptBreaks& breaks, Instant now) {
  auto entries = breaks.entries();
  std::ranges::sort(entries, std::ranges::greater(),
                    [&](const auto& entry) { return entry.lost_last_hour(now); });
  json list = json::array();
  for (const auto& entry : entries) {
    json out = place_json(entry.where);
    out["client"] = entry.client;
    out["turns"] = entry.turns;
    out["lost_tokens"] = entry.lost;
    out["lost_tokens_last_hour"] = entry.lost_last_hour(now);
    out["last_seen_s"] = seconds(now - entry.last);
    list.push_back(std::move(out));
  }
  return {{"prompt_breaks", std::move(list)}};
}

}  // namespace lmw::admin
