// Times of the calendar, as the admin API and reports have them: 2026-01-31T12:00:00Z.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <fmt/chrono.h>

namespace lmw {

inline std::int64_t unix_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

inline std::string utc(std::int64_t unix_seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(unix_seconds)));
}

}  // namespace lmw
