#include "engine/facts.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lmw::engine {

Result<ServedModel> choose_model(const Facts& facts, const std::string& url, const std::string& id) {
  const auto found =
      id.empty() ? facts.models.begin() : std::ranges::find(facts.models, id, &ServedModel::id);
  if (found != facts.models.end()) return *found;
  std::vector<std::string> names;
  for (const auto& model : facts.models) names.push_back(model.id);
  return failure(fmt::format("{} does not serve '{}'; it serves: {}", url, id, fmt::join(names, ", ")));
}

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
