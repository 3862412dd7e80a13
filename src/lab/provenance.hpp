// What a reader of a report needs to run its experiment again.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/experiment.hpp"

namespace lmw::lab {

// How many are at work, or how they come.
std::string sessions_text(const Workload& workload);

// The sizes of one that is not recorded.
std::string session_text(const workload::SessionShape& shape);

std::vector<std::pair<std::string, std::string>> provenance(const Experiment& experiment);

}  // namespace lmw::lab
