// For tests: sources of a configuration, and what loading them says.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "config/load.hpp"

namespace lmw::config {

using Pairs = std::vector<std::pair<std::string, std::string>>;

inline Sources sources(std::string toml, std::map<std::string, std::string> variables = {},
                       Pairs flags = {}) {
  const auto environment = [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  return {.file = File{"w.toml", std::move(toml)}, .environment = environment, .flags = std::move(flags)};
}

inline std::vector<std::string> problems(const Sources& from) {
  const auto loaded = load(from);
  std::vector<std::string> result;
  if (loaded) return result;
  for (const auto& error : loaded.error()) result.push_back(error.message);
  return result;
}
inline std::vector<std::string> problems(std::string toml) { return problems(sources(std::move(toml))); }
inline std::vector<std::string> flag_problems(Pairs flags) {
  return problems(sources("", {}, std::move(flags)));
}

inline Config config(const Sources& from) {
  auto loaded = load(from);
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().front().message);
  return loaded ? loaded->config : Config{};
}

}  // namespace lmw::config
