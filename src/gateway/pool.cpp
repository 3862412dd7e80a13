#include "gateway/pool.hpp"

#include <algorithm>

namespace lmw::gateway {

bool Pool::serves(std::string_view model) const {
  if (model == name) return true;
  return std::ranges::any_of(backends, [&](const Backend* backend) {
    const auto& facts = backend->monitor->facts();
    return facts && std::ranges::find(facts->models, model, &engine::ServedModel::id) != facts->models.end();
  });
}

bool Pool::ignores_rank_on_responses() const {
  return std::ranges::any_of(backends, [](const Backend* backend) {
    const auto& facts = backend->monitor->facts();
    return facts && facts->ranks.size() > 1 && engine::version_at_least(facts->version, 0, 33) == false;
  });
}

std::vector<engine::ServedModel> Pool::models() const {
  std::vector<engine::ServedModel> all;
  for (const auto* backend : backends) {
    if (!backend->monitor->facts()) continue;
    for (const auto& model : backend->monitor->facts()->models) {
      if (std::ranges::find(all, model.id, &engine::ServedModel::id) == all.end()) all.push_back(model);
    }
  }
  return all;
}

}  // namespace lmw::gateway
