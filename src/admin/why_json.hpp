// Why a turn went where it went, and what the engine's own balancer would have come to, as values of the
// admin API: docs/admin-api.md documents each field.
#pragma once

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "routing/turn_log.hpp"

namespace lmw::admin {

nlohmann::json why_json(const routing::Why& why);
nlohmann::json counterfactual_json(const std::optional<routing::Counterfactual>& turn);
nlohmann::json counterfactual_json(const routing::SavingCounters& all);

}  // namespace lmw::admin
