// Our counters for Prometheus.
#pragma once

#include <string>

#include "gateway/directory.hpp"

namespace lmw::admin {

// The text exposition format, version 0.0.4.
std::string metrics_text(const gateway::Directory& directory);

}  // namespace lmw::admin
