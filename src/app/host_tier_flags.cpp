#include "app/host_tier_flags.hpp"

#include <CLI/CLI.hpp>

namespace lmw::app {

void add_host_tier_flags(CLI::App& command, HostTierFlags& flags) {
  command
      .add_option("--host-kv-tokens", flags.tokens,
                  "host tier of a replica (vLLM's --kv-offloading-size); default none")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40));
  command.add_option("--host-kv-rate", flags.rate, "tokens a second that it brings back")
      ->check(CLI::Range(1.0, 1e9));
}

}  // namespace lmw::app
