// Why a turn went where it went: what was known when that was decided.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "base/time.hpp"
#include "routing/identity.hpp"
#include "routing/placement.hpp"

namespace lmw::routing {

struct Why {
  static constexpr std::size_t most_loads = 16;

  KeySource source = KeySource::none;
  std::optional<ReplicaId> home;                    // of its conversation, before
  int home_threshold = 0;                           // turns in flight at which it spilled
  bool by_room = false;                             // with places on: room decided, not load
  std::optional<Duration> held;                     // how long it waited for room
  std::uint32_t replicas = 0;                       // how many there were
  std::array<ReplicaLoad, most_loads> first_loads;  // of the first of them

  std::span<const ReplicaLoad> loads() const {
    return std::span(first_loads).first(replicas < most_loads ? replicas : most_loads);
  }
};

}  // namespace lmw::routing
