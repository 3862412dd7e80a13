// Values of the admin API: docs/admin-api.md documents each field.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "base/time.hpp"
#include "gateway/directory.hpp"

namespace lmw::admin {

nlohmann::json models_json(const gateway::Directory& directory);
nlohmann::json engines_json(const gateway::Directory& directory, Instant now);
nlohmann::json routing_json(const gateway::Pool& pool, Instant now);

// Applies {"affinity", "spill_threshold", "admission", "wait_share"} to a pool; all of it or nothing. The
// next turn obeys, and those that wait do.
Result<void> change_routing(gateway::Pool& pool, const nlohmann::json& change, Instant now);

}  // namespace lmw::admin
