// Lines for the operator, on standard error. A message that is below the level costs a comparison: what it
// needs is only formatted when it is shown.
#pragma once

#include <string_view>

#include <fmt/format.h>

namespace lmw::log {

enum class Level { trace, debug, info, warn, error };

// "trace" ... "error", as in the configuration; anything else is info.
void set_level(std::string_view name);
bool shows(Level level);
void write(Level level, std::string_view message);

template <class... Args>
void debug(fmt::format_string<Args...> text, Args&&... args) {
  if (shows(Level::debug)) write(Level::debug, fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
void warn(fmt::format_string<Args...> text, Args&&... args) {
  if (shows(Level::warn)) write(Level::warn, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace lmw::log
