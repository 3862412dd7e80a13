#include "admin/routing_json.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "admin/cache_json.hpp"
#include "admin/why_json.hpp"
#include "admin/working_set.hpp"
#include "base/utc.hpp"
#include "engine/findings.hpp"

namespace lmw::admin {

namespace {

using nlohmann::json;
using routing::Outcome;

std::uint64_t turns(const auto& counters, Outcome outcome) {
  return counters.turns[static_cast<std::size_t>(outcome)];
}

json share(double part, double whole) { return whole > 0 ? json(part / whole) : json(nullptr); }

void add_tokens(json& out, const routing::TokenLedger& tokens) {
  out["measured_turns"] = tokens.measured_turns;
  out["unmeasured_turns"] = tokens.unmeasured_turns;
  out["prompt_tokens"] = tokens.prompt;
  out["cached_tokens"] = tokens.cached;
  out["computed_tokens"] = tokens.computed;
  out["completion_tokens"] = tokens.completion;
  out["cached_share"] = share(static_cast<double>(tokens.cached), static_cast<double>(tokens.prompt));
}

std::string_view admission_name(routing::Admission admission) {
  if (admission == routing::Admission::on) return "on";
  return admission == routing::Admission::off ? "off" : "auto";
}

// The rule in force.
std::string_view rule(const routing::Router& router) {
  if (!router.settings().affinity) return "off";
  return router.places_on() ? "places" : "affinity";
}

json seconds_or_null(const std::optional<Duration>& duration) {
  return duration ? json(seconds(*duration)) : json(nullptr);
}

json totals_json(const routing::Router& router) {
  const auto& counters = router.counters();
  json out;
  out["in_flight"] = router.in_flight();
  out["held"] = router.held();
  out["held_total"] = counters.held.count();
  out["held_s_total"] = counters.held.sum();
  out["left_while_held"] = counters.left_while_held;
  out["places_rotated"] = router.places().rotations();
  out["expected_wait_s"] = seconds_or_null(router.places().expected_wait());
  out["conversations"] = router.table().size();
  for (std::size_t i = 0; i < routing::outcomes; ++i) {
    out[std::string(routing::name_of(static_cast<Outcome>(i)))] = counters.turns[i];
  }
  const auto sticky = turns(counters, Outcome::sticky);
  const auto later = sticky + turns(counters, Outcome::rehomed) + turns(counters, Outcome::spilled);
  out["sticky_share"] = share(static_cast<double>(sticky), static_cast<double>(later));
  out["answered"] = counters.answered;
  out["cancelled"] = counters.cancelled;
  out["failed"] = counters.failed;
  out["moved"] = counters.moved;
  add_tokens(out, counters.tokens);
  out["misses"] = misses_json(router.cache());
  out["counterfactual"] = counterfactual_json(counters.saving);
  return out;
}

json reading_json(const routing::Replica& replica, Instant now) {
  if (!replica.reading) {
    return {{"running", nullptr},
            {"waiting", nullptr},
            {"kv_used", nullptr},
            {"prefix_hit_rate", nullptr},
            {"reading_age_s", nullptr}};
  }
  const auto& reading = *replica.reading;
  return {{"running", reading.running},
          {"waiting", reading.waiting},
          {"kv_used", reading.kv_used},
          {"prefix_hit_rate",
           share(static_cast<double>(reading.prefix_hits), static_cast<double>(reading.prefix_queries))},
          {"reading_age_s", seconds(now - reading.at)}};
}

json replica_json(const routing::Router& router, const WorkingSet& live, Instant now) {
  const auto& replica = router.replicas()[routing::ReplicaId(live.replica)];
  const auto& counters = replica.counters;
  json out = reading_json(replica, now);
  out["replica"] = replica.id.value();
  out["endpoint"] = router.replicas()[replica.endpoint].url;
  out["rank"] = replica.rank;
  out["engine_label"] = replica.label;
  out["up"] = router.replicas().usable(replica.id);
  out["in_flight"] = replica.in_flight;
  out["conversations"] = router.table().homed(replica.id);
  out["places"] = router.places().places(replica.id);
  out["recent_conversations"] = router.table().recent(replica.id);
  for (const auto outcome : {Outcome::placed, Outcome::sticky, Outcome::rehomed, Outcome::client_pinned,
                             Outcome::balanced, Outcome::side, Outcome::unrouted}) {
    out[std::string(routing::name_of(outcome))] = turns(counters, outcome);
  }
  out["spilled_in"] = turns(counters, Outcome::spilled);
  out["spilled_away"] = counters.spilled_away;
  out["spill_threshold"] = routing::spill_threshold(replica, router.settings().spill_threshold);
  out["kv_capacity_tokens"] = or_null(replica.kv_capacity_tokens);
  out["host_kv_tokens"] = or_null(replica.host_kv_tokens);
  out["max_num_seqs"] = or_null(replica.max_num_seqs);
  out["live_conversations"] = live.conversations;
  out["live_context_tokens"] = live.tokens;
  out["evicted_turns"] = live.evicted;
  out["working_set"] = name_of(live.fit());
  add_tokens(out, counters.tokens);
  return out;
}

// The threshold in force where the replicas agree on one; else nothing.
json pool_threshold(const routing::Router& router) {
  std::optional<int> common;
  for (const auto& replica : router.replicas().replicas()) {
    if (!replica.present) continue;
    const int threshold = routing::spill_threshold(replica, router.settings().spill_threshold);
    if (common && *common != threshold) return nullptr;
    common = threshold;
  }
  return or_null(common ? common : router.settings().spill_threshold);
}

}  // namespace

json models_json(const gateway::Directory& directory) {
  json models = json::array();
  for (const auto& pool : directory.pools()) {
    json served = json::array();
    for (const auto& model : pool->models()) {
      served.push_back(
          {{"id", model.id}, {"max_model_len", or_null(model.max_model_len)}, {"adapter", model.adapter}});
    }
    const auto& all = pool->router.replicas().replicas();
    const auto up =
        std::ranges::count_if(all, [&](const auto& r) { return pool->router.replicas().usable(r.id); });
    models.push_back({{"name", pool->name},
                      {"aliases", pool->aliases},
                      {"served", std::move(served)},
                      {"replicas", std::ranges::count_if(all, &routing::Replica::present)},
                      {"replicas_up", up}});
  }
  return {{"models", std::move(models)}};
}

namespace {

json engine_json(const gateway::Backend& backend, Instant now) {
  const auto facts = backend.facts();
  const auto& scraped = backend.monitor->scraped();
  const auto* pool = backend.pool;
  const auto model_source = pool && pool->is_configured ? engine::Source::configured : engine::Source::models;
  return {{"name", backend.config.name},
          {"url", backend.connections.origin().url()},
          {"up", backend.monitor->is_up()},
          {"last_error", backend.monitor->last_error()},
          {"scrape_age_s", scraped ? json(seconds(now - *scraped)) : json(nullptr)},
          {"version", facts ? json(facts->version) : json(nullptr)},
          {"ranks", facts ? json(facts->ranks.size()) : json(nullptr)},
          {"findings", facts ? json(engine::to_json(engine::findings(*facts, {}))) : json::array()},
          {"model", pool ? json(pool->name) : json(nullptr)},
          {"model_source", pool ? json(engine::describe(model_source)) : json(nullptr)}};
}

}  // namespace

json engines_json(const gateway::Directory& directory, Instant now) {
  json engines = json::array();
  for (const auto& backend : directory.backends()) engines.push_back(engine_json(*backend, now));
  return {{"engines", std::move(engines)}};
}

json routing_json(const gateway::Pool& pool, Instant now) {
  const auto& settings = pool.router.settings();
  const auto sets = working_sets(pool.router, now);
  json replicas = json::array();
  for (const auto& set : sets) replicas.push_back(replica_json(pool.router, set, now));
  return {{"model", pool.name},
          {"affinity", settings.affinity},
          {"rule", rule(pool.router)},
          {"admission", admission_name(settings.admission)},
          {"wait_share", settings.places.wait_share},
          {"spill_threshold", pool_threshold(pool.router)},
          {"spill_threshold_source", settings.spill_threshold ? "set" : "auto"},
          {"counting_since", utc(std::chrono::system_clock::to_time_t(pool.counting_since))},
          {"billing_lines_dropped", pool.billing_dropped},
          {"totals", totals_json(pool.router)},
          {"advice", advice(sets, pool.router.places_on())},
          {"replicas", std::move(replicas)}};
}

namespace {

Result<void> change_one(routing::RouterSettings& settings, std::string_view key, const json& value) {
  constexpr int most = 1'000'000;
  if (key == "affinity") {
    if (!value.is_boolean()) return failure("affinity is true or false");
    settings.affinity = value.get<bool>();
  } else if (key == "spill_threshold" && value.is_null()) {
    settings.spill_threshold.reset();
  } else if (key == "spill_threshold") {
    if (!value.is_number_integer() || value < 1 || value > most) {
      return failure(fmt::format("spill_threshold is an integer from 1 to {}, or null for automatic", most));
    }
    settings.spill_threshold = value.get<int>();
  } else if (key == "admission") {
    if (value != "auto" && value != "on" && value != "off") return failure("admission is auto, on or off");
    settings.admission = value == "on"    ? routing::Admission::on
                         : value == "off" ? routing::Admission::off
                                          : routing::Admission::automatic;
  } else if (key == "wait_share") {
    const json number = value == "interactive" ? json(0.45) : value == "steady" ? json(1.0) : value;
    if (!number.is_number() || number < 0.05 || number > 1) {
      return failure("wait_share is a number from 0.05 to 1, interactive (0.45) or steady (1)");
    }
    settings.places.wait_share = number.get<double>();
  } else {
    return failure(
        fmt::format("'{}' can't be set here; affinity, spill_threshold, admission and wait_share can", key));
  }
  return {};
}

}  // namespace

Result<void> change_routing(gateway::Pool& pool, const json& change, Instant now) {
  if (!change.is_object()) return failure("the body must be a JSON object");
  auto settings = pool.router.settings();
  for (const auto& [key, value] : change.items()) {
    if (const auto changed = change_one(settings, key, value); !changed) return changed;
  }
  pool.router.settings() = settings;
  pool.router.admit(now);
  pool.waiting_room.wake();
  return {};
}

}  // namespace lmw::admin
