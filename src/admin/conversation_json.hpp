// A pool's conversations as values of the admin API: docs/admin-api.md documents each field.
#pragma once

#include <cstddef>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/time.hpp"
#include "gateway/in_flight.hpp"
#include "gateway/pool.hpp"

namespace lmw::admin {

nlohmann::json conversation_json(const routing::Conversation& conversation,
                                 const routing::ReplicaSet& replicas, Instant now);
// The most recently active first.
nlohmann::json conversations_json(const gateway::Pool& pool, Instant now, std::size_t limit);

// One conversation with its last turns, in order of their end. null: it is not known.
nlohmann::json conversation_turns_json(const gateway::Pool& pool, std::string_view key, Instant now);

// The turns under way, the oldest first.
nlohmann::json in_flight_json(const gateway::InFlight& in_flight, Instant now);

}  // namespace lmw::admin
