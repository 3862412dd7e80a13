#include "logging/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace lmw::log {

namespace {

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::trace:
      return spdlog::level::trace;
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warn:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

spdlog::logger& logger() {
  static const auto instance = [] {
    auto made = spdlog::stderr_logger_mt("lmwarden");
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
    return made;
  }();
  return *instance;
}

}  // namespace

void set_level(std::string_view name) {
  for (const auto level : {Level::trace, Level::debug, Level::info, Level::warn, Level::error}) {
    const auto each = to_spdlog(level);
    const auto known = spdlog::level::to_string_view(each);
    if (std::string_view(known.data(), known.size()).starts_with(name)) return logger().set_level(each);
  }
  logger().set_level(spdlog::level::info);
}

bool shows(Level level) { return logger().should_log(to_spdlog(level)); }

void write(Level level, std::string_view message) { logger().log(to_spdlog(level), message); }

}  // namespace lmw::log
