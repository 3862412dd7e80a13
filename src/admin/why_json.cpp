#include "admin/why_json.hpp"

#include <nlohmann/json.hpp>

namespace lmw::admin {

namespace {

using nlohmann::json;

json load_json(const routing::ReplicaLoad& load) {
  return {{"replica", load.replica.value()},
          {"in_flight", load.in_flight},
          {"kv_used", load.kv_counts ? json(load.kv_used) : json(nullptr)},
          {"recent_conversations", load.recent},
          {"load", load.value()}};
}

}  // namespace

json why_json(const routing::Why& why) {
  json loads = json::array();
  for (const auto& load : why.loads()) loads.push_back(load_json(load));
  return {{"source", routing::name_of(why.source)},
          {"home", why.home ? json(why.home->value()) : json(nullptr)},
          {"spill_threshold", why.home ? json(why.home_threshold) : json(nullptr)},
          {"rule", why.by_room ? "places" : "affinity"},
          {"held_s", why.held ? json(seconds(*why.held)) : json(nullptr)},
          {"replicas", why.replicas},
          {"loads", std::move(loads)}};
}

json counterfactual_json(const std::optional<routing::Counterfactual>& turn) {
  if (!turn) return nullptr;
  return {{"estimate", true},
          {"replica", turn->replica.value()},
          {"cached_tokens", turn->cached},
          {"saved_tokens", turn->saved}};
}

json counterfactual_json(const routing::SavingCounters& all) {
  if (all.turns == 0) return nullptr;
  return {{"estimate", true},
          {"turns", all.turns},
          {"own_cached_tokens", all.cached},
          {"cached_tokens", all.engine_cached},
          {"saved_tokens", all.cached - all.engine_cached}};
}

}  // namespace lmw::admin
