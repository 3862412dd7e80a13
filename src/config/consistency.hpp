// What no single value can show: settings that contradict each other.
#pragma once

#include <vector>

#include "config/load.hpp"

namespace lmw::config {

// Appends an error, with its place, for each missing URL or name, each duplicate engine, model or alias, each
// engine of a model that is not configured, and for two listeners on one address.
void check_consistency(const Loaded& loaded, std::vector<Error>& errors);

}  // namespace lmw::config
