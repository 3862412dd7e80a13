// The history as columns for charts: docs/admin-api.md documents each field.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "store/history.hpp"

namespace lmw::admin {

struct Span {
  std::string_view name;
  std::int64_t seconds = 0;
  std::size_t resolution = 0;  // index into store::resolutions
};
inline constexpr auto spans =
    std::to_array<Span>({{"15m", 900, 0}, {"1h", 3600, 0}, {"24h", 86'400, 1}, {"7d", 604'800, 2}});

// By its name; nothing for another one.
std::optional<Span> find_span(std::string_view name);

// `model`: "" = all.
nlohmann::json history_json(const store::History& history, std::string_view model, const Span& span,
                            std::int64_t unix_now);

// The time below which `share` of the turns had their first byte, estimated inside its bucket. Nothing
// without turns.
std::optional<double> ttfb_quantile(const std::array<std::int64_t, store::ttfb_buckets>& buckets,
                                    double share);

}  // namespace lmw::admin
