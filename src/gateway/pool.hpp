// The engines that serve one model, and the router of its turns.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "engine/facts.hpp"
#include "gateway/backend.hpp"
#include "gateway/waiting_room.hpp"
#include "routing/router.hpp"

namespace lmw::gateway {

struct Pool {
  Pool(std::string model, const routing::RouterSettings& settings, const routing::TableLimits& limits,
       const EngineClock& clock)
      : name(std::move(model)), router(settings, limits), waiting_room(router, clock) {}

  std::string name;                  // the model as the engines serve it
  bool is_configured = false;        // else an engine told of it
  std::vector<std::string> aliases;  // globs of other names for it
  routing::Router router;
  WaitingRoom waiting_room;
  std::vector<Backend*> backends;     // by EndpointId
  std::uint64_t billing_dropped = 0;  // requests whose billing line was taken out
  std::chrono::system_clock::time_point counting_since = std::chrono::system_clock::now();

  Backend& backend(routing::EndpointId id) const { return *backends[id.value()]; }
  // Whether an engine of it serves that name itself (the model's own, or an adapter's).
  bool serves(std::string_view model) const;
  // What its engines serve, the model itself first.
  std::vector<engine::ServedModel> models() const;
};

}  // namespace lmw::gateway
