#include "gateway/pool.hpp"

#include <algorithm>

namespace lmw::gateway {

bool Pool::serves(std::string_view model) const {
  if (model == name) return true;
  const auto all = models();
  return std::ranges::find(all, model, &engine::ServedModel::id) != all.end();
}

std::vector<engine::ServedModel> Pool::models() const {
  std::vector<engine::ServedModel> all;
  for (const auto* backend : backends) {
    // One that serves another model by now has moved to another pool.
    if (backend->pool != this || !backend->monitor->facts()) continue;
    for (const auto& model : backend->monitor->facts()->models) {
      if (std::ranges::find(all, model.id, &engine::ServedModel::id) == all.end()) all.push_back(model);
    }
  }
  return all;
}

}  // namespace lmw::gateway
