// The tools of /v1/responses as the model is shown them.
#pragma once

#include <vector>

#include "simulator/body.hpp"
#include "simulator/conversation.hpp"

namespace lmw::simulator {

// Functions, alone and in namespaces, and free-form (custom) tools, each in the form that chat has it, so
// that both render alike. The model sees no other tools. Custom tools with a grammar are refused.
std::expected<std::vector<Tool>, ApiError> read_response_tools(const Body& body);

// The name of a tool of a namespace to the model: <namespace>__<name>.
std::string flat_tool_name(const std::string& name_space, const std::string& name);

}  // namespace lmw::simulator
