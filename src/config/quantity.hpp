// Durations and sizes as people write them. A duration always names its unit; a size without one is in bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace lmw::config {

// A whole number and ms, s, m or h: "500ms", "4s", "30m", "24h".
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

// A whole number and nothing, B, KiB, MiB or GiB: "65536", "64KiB".
Result<std::uint64_t> parse_size(std::string_view text);

// In the largest unit that leaves a whole number.
std::string format_duration(std::chrono::milliseconds duration);
std::string format_size(std::uint64_t bytes);

}  // namespace lmw::config
