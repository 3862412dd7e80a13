// The engines that serve one model, and the router of its turns.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "engine/facts.hpp"
#include "gateway/backend.hpp"
#include "routing/router.hpp"

namespace lmw::gateway {

struct Pool {
  Pool(std::string model, routing::RouterSettings settings, routing::TableLimits limits)
      : name(std::move(model)), router(settings, limits) {}

  std::string name;                  // the model as the engines serve it
  std::vector<std::string> aliases;  // globs of other names for it
  routing::Router router;
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
