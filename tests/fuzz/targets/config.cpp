// A configuration file. What can be loaded can be printed and loaded again as the same.
#include <algorithm>

#include "config/load.hpp"
#include "config/print.hpp"
#include "target.hpp"

namespace lmw::fuzz {
namespace {

constexpr std::string_view name = "fuzz.toml";

auto load(std::string_view text) {
  return config::load(
      {.file = config::File{std::string(name), std::string(text)}, .environment = {}, .flags = {}});
}

// Secrets are printed as asterisks.
config::Config without_secrets(config::Config config) {
  for (auto& engine : config.engines) engine.api_key.clear();
  return config;
}

}  // namespace

void run(std::string_view text) {
  const auto loaded = load(text);
  if (!loaded) {
    require(!loaded.error().empty(), "a refusal has a reason");
    require(std::ranges::all_of(loaded.error(),
                                [](const Error& error) { return error.message.starts_with(name); }),
            "an error says where");
    return;
  }
  const auto again = load(config::effective_toml(*loaded));
  require(again.has_value(), "what is printed can be loaded");
  require(without_secrets(again->config) == without_secrets(loaded->config), "and is the same");
}

}  // namespace lmw::fuzz
