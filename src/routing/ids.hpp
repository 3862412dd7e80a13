// Names of things in routing.
#pragma once

#include <cstdint>

#include "base/strong_id.hpp"

namespace lmw::routing {

// Given by a ReplicaSet, in order of appearance. They stay valid when replicas come and go.
using ReplicaId = StrongId<struct ReplicaTag, std::uint32_t>;
using EndpointId = StrongId<struct EndpointTag, std::uint32_t>;

// Keyed hashes of client ids; the ids themselves are not kept.
using ConversationKey = StrongId<struct ConversationTag, std::uint64_t>;
using GroupKey = StrongId<struct GroupTag, std::uint64_t>;

}  // namespace lmw::routing
