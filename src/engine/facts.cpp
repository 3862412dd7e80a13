#include "engine/facts.hpp"

#include <charconv>
#include <utility>

namespace lmw::engine {

std::optional<bool> version_at_least(const std::string& version, int major, int minor) {
  const char* const end = version.data() + version.size();
  std::pair<int, int> found;
  const auto [dot, major_error] = std::from_chars(version.data(), end, found.first);
  if (major_error != std::errc() || dot == end || *dot != '.') return std::nullopt;
  const auto [rest, minor_error] = std::from_chars(dot + 1, end, found.second);
  if (minor_error != std::errc()) return std::nullopt;
  return found >= std::pair(major, minor);
}

}  // namespace lmw::engine
