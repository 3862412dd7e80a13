// What a person reads at the start.
#pragma once

#include <string>

#include "app/gateway_service.hpp"

namespace lmw::app {

// The addresses, and the engines that are looked for.
std::string start_banner(const GatewayService& service);
// An engine that was found, or lost.
std::string engine_banner(const gateway::Backend& backend);
// What to paste into each client for a model of ours.
std::string settings_banner(const std::string& api_url, const engine::ServedModel& model);

}  // namespace lmw::app
