// What the prefix cache did for turns, as values of the admin API: docs/admin-api.md documents each field.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "base/time.hpp"
#include "routing/cache_account.hpp"

namespace lmw::admin {

// What is not known is null.
template <class T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

nlohmann::json misses_json(const routing::CacheCounters& cache);
// The engine's count of one turn against what it should have found.
nlohmann::json account_json(const std::optional<routing::CacheAccount>& account);
// The costliest of the last hour first.
nlohmann::json prompt_breaks_json(const routing::PromptBreaks& breaks, Instant now);

}  // namespace lmw::admin
