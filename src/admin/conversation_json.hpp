// A pool's conversations as values of the admin API: docs/admin-api.md documents each field.
#pragma once

#include <cstddef>

#include <nlohmann/json_fwd.hpp>

#include "base/time.hpp"
#include "gateway/pool.hpp"

namespace lmw::admin {

nlohmann::json conversation_json(const routing::Conversation& conversation,
                                 const routing::ReplicaSet& replicas, Instant now);
// The most recently active first.
nlohmann::json conversations_json(const gateway::Pool& pool, Instant now, std::size_t limit);

}  // namespace lmw::admin
