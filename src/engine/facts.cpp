#include "engine/facts.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lmw::engine {

Facts with(const ConfiguredFacts& configured, Facts found) {
  if (configured.ranks) found.ranks.resize(static_cast<std::size_t>(*configured.ranks));
  if (configured.max_num_seqs) found.max_num_seqs = configured.max_num_seqs;
  for (auto& rank : found.ranks) {
    if (configured.kv_capacity_tokens) rank.kv_capacity_tokens = configured.kv_capacity_tokens;
    if (configured.host_kv_tokens) rank.host_kv_tokens = configured.host_kv_tokens;
  }
  found.configured = configured;
  return found;
}

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
