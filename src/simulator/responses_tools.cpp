#include "simulator/responses_tools.hpp"

namespace lmw::simulator {

namespace {

// In the form that chat has it, so that both render alike.
Tool function_tool(Body tool, std::string name) {
  tool.erase("type");
  tool["name"] = name;
  return {std::move(name), normal_text({{"type", "function"}, {"function", std::move(tool)}})};
}

Tool custom_tool(const Body& tool) {
  const auto parameters =
      Body{{"type", "object"}, {"properties", {{"input", {{"type", "string"}}}}}, {"required", {"input"}}};
  return function_tool({{"description", string_member(tool, "description")}, {"parameters", parameters}},
                       string_member(tool, "name"));
}

}  // namespace

std::string flat_tool_name(const std::string& name_space, const std::string& name) {
  return name_space + "__" + name;
}

std::expected<std::vector<Tool>, ApiError> read_response_tools(const Body& body) {
  std::vector<Tool> tools;
  const auto* list = member(body, "tools");
  if (!list) return tools;
  if (!list->is_array()) return std::unexpected(wrong_list("tools", *list));
  for (const auto& tool : *list) {
    if (!tool.is_object()) return std::unexpected(wrong_string("tools", tool));
    const auto type = string_member(tool, "type");
    const auto name = string_member(tool, "name");
    if (type == "function") tools.push_back(function_tool(tool, name));
    if (type == "custom") {
      const auto* format = member(tool, "format");
      if (format && format->is_object() && string_member(*format, "type") == "grammar") {
        return std::unexpected(
            bad_parameter("Custom tools with a grammar format are not supported; only free-form text custom "
                          "tools are accepted.",
                          "tools"));
      }
      tools.push_back(custom_tool(tool));
    }
    const auto* inner = type == "namespace" ? member(tool, "tools") : nullptr;
    for (const auto& function : inner && inner->is_array() ? *inner : Body::array()) {
      if (function.is_object())
        tools.push_back(function_tool(function, flat_tool_name(name, string_member(function, "name"))));
    }
  }
  return tools;
}

}  // namespace lmw::simulator
