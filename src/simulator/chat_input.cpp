#include "simulator/chat_input.hpp"

#include <utility>

#include <fmt/format.h>

namespace lmw::simulator {

namespace {
constexpr std::string_view billing_line = "x-anthropic-billing-header:";

std::optional<Part> read_part(const Body& part) {
  if (!part.is_object()) return std::nullopt;
  const auto type = string_member(part, "type");
  if (type == "tool_use") {
    const auto* input = member(part, "input");
    return Part{Part::Kind::tool_call, input ? normal_text(*input) : "{}", string_member(part, "name")};
  }
  if (type == "tool_result") {
    const auto* content = member(part, "content");
    return Part{Part::Kind::tool_result, content ? text_content(*content, "\n") : "", ""};
  }
  if (!member(part, "text")) return std::nullopt;
  return Part{Part::Kind::text, string_member(part, "text"), ""};
}

std::vector<Tool> read_tools(const Body& body) {
  std::vector<Tool> tools;
  const auto* list = member(body, "tools");
  if (!list || !list->is_array()) return tools;
  for (auto tool : *list) {
    if (!tool.is_object()) continue;
    tool.erase("cache_control");
    const auto* function = member(tool, "function");
    tools.push_back(
        {string_member(function && function->is_object() ? *function : tool, "name"), normal_text(tool)});
  }
  return tools;
}

// The `system` of /v1/messages. vLLM leaves out the line that differs per call and would cost the whole
// prefix.
std::string read_system(const Body& body) {
  const auto* system = member(body, "system");
  if (!system) return {};
  if (system->is_string()) return system->get<std::string>();
  std::string text;
  if (!system->is_array()) return text;
  for (const auto& part : *system) {
    const auto piece = part.is_object() ? string_member(part, "text") : std::string();
    if (!piece.starts_with(billing_line)) text += piece;
  }
  return text;
}

}  // namespace

std::optional<ApiError> check_messages(const Body& body) {
  if (auto error = check_list(body, "messages")) return error;
  const auto& messages = body.at("messages");
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!messages[i].is_object() || string_member(messages[i], "role").empty())
      return missing_field(fmt::format("messages.{}.role", i), messages[i]);
  }
  return std::nullopt;
}

std::string normal_arguments(const Body& arguments) {
  if (!arguments.is_string()) return normal_text(arguments);
  const auto& text = arguments.get_ref<const std::string&>();
  const auto parsed = Body::parse(text, nullptr, false);
  return parsed.is_discarded() ? text : normal_text(parsed);
}

std::string text_content(const Body& content, std::string_view separator) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  bool first = true;
  if (!content.is_array()) return text;
  for (const auto& part : content) {
    if (!part.is_object() || !member(part, "text")) continue;
    if (!std::exchange(first, false)) text += separator;
    text += string_member(part, "text");
  }
  return text;
}

Message read_message(const Body& json) {
  Message message{string_member(json, "role"), {}};
  if (const auto* content = member(json, "content"); content && content->is_string()) {
    message.parts.push_back({Part::Kind::text, content->get<std::string>(), ""});
  } else if (content && content->is_array()) {
    for (const auto& item : *content) {
      if (auto part = read_part(item)) message.parts.push_back(std::move(*part));
    }
  }
  const auto* calls = member(json, "tool_calls");
  if (!calls || !calls->is_array()) return message;
  for (const auto& call : *calls) {
    const auto* function = call.is_object() ? member(call, "function") : nullptr;
    if (!function || !function->is_object()) continue;
    const auto* arguments = member(*function, "arguments");
    message.parts.push_back({Part::Kind::tool_call, arguments ? normal_arguments(*arguments) : "{}",
                             string_member(*function, "name")});
  }
  return message;
}

void lift_system(Conversation& conversation) {
  auto& messages = conversation.messages;
  if (messages.empty() || (messages[0].role != "system" && messages[0].role != "developer")) return;
  for (const auto& part : messages[0].parts) conversation.system += part.text;
  messages.erase(messages.begin());
}

Conversation read_conversation(const Body& body, wire::Family family) {
  Conversation conversation{"", read_tools(body), {}};
  for (const auto& message : body.at("messages")) conversation.messages.push_back(read_message(message));
  if (family == wire::Family::anthropic) {
    conversation.system = read_system(body);
  } else {
    lift_system(conversation);
  }
  return conversation;
}

}  // namespace lmw::simulator
