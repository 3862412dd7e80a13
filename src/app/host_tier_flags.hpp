// The host tier of the replica model as flags (vLLM's --kv-offloading-size, in tokens).
#pragma once

#include <cstdint>
#include <optional>

#include "replica/profile.hpp"

namespace CLI {
class App;
}

namespace lmw::app {

// As given; what was not is the profile's.
struct HostTierFlags {
  std::optional<std::int64_t> tokens;
  std::optional<double> rate;  // tokens/s

  void apply(replica::Profile& profile) const {
    if (tokens) profile.host_kv_tokens = *tokens;
    if (rate) profile.host_load = 1 / *rate;
  }
};

void add_host_tier_flags(CLI::App& command, HostTierFlags& flags);

}  // namespace lmw::app
