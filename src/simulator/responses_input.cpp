#include "simulator/responses_input.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "simulator/chat_input.hpp"
#include "simulator/responses_tools.hpp"

namespace lmw::simulator {

namespace {

// The assistant's message that calls and texts of the same turn belong to.
Message& assistant_message(std::vector<Message>& messages) {
  if (messages.empty() || messages.back().role != "assistant") messages.push_back({"assistant", {}});
  return messages.back();
}

// A second text in a row is a message of its own. One after a call stands before it, as in a chat message.
void append_assistant_text(Message message, std::vector<Message>& messages) {
  const auto is_text = [](const Part& part) { return part.kind == Part::Kind::text; };
  auto& open = assistant_message(messages);
  if (std::ranges::any_of(open.parts, is_text)) {
    messages.push_back(std::move(message));
  } else {
    open.parts.insert(open.parts.begin(), message.parts.begin(), message.parts.end());
  }
}

std::optional<ApiError> append_message(const Body& item, std::string_view where,
                                       std::vector<Message>& messages) {
  constexpr std::array<std::string_view, 4> roles{"user", "assistant", "system", "developer"};
  auto message = read_message(item);
  const auto* content = member(item, "content");
  if (std::ranges::find(roles, message.role) == roles.end())
    return wrong_string(fmt::format("{}.role", where), item);
  if (!content) return missing_field(fmt::format("{}.content", where), item);
  if (message.role == "assistant") {
    append_assistant_text(std::move(message), messages);
  } else {
    messages.push_back(std::move(message));
  }
  return std::nullopt;
}

std::optional<ApiError> append_call(const Body& item, std::string_view where, const char* input,
                                    std::vector<Message>& messages) {
  for (const auto* key : {"call_id", "name", input}) {
    const auto* value = member(item, key);
    if (!value || !value->is_string()) return missing_field(fmt::format("{}.{}", where, key), item);
  }
  auto name = string_member(item, "name");
  const auto name_space = string_member(item, "namespace");
  if (!name_space.empty()) name = flat_tool_name(name_space, name);
  // The text of a custom tool stands in the prompt as the one argument of a function.
  const bool custom = std::string_view(input) == "input";
  auto arguments = custom ? normal_text({{"input", item.at(input)}}) : normal_arguments(item.at(input));
  assistant_message(messages).parts.push_back({Part::Kind::tool_call, std::move(arguments), std::move(name)});
  return std::nullopt;
}

std::optional<ApiError> append_item(const Body& item, std::string_view where,
                                    std::vector<Message>& messages) {
  if (!item.is_object()) return wrong_string(where, item);
  const auto type = string_member(item, "type");
  if (type == "message" || (type.empty() && member(item, "role")))
    return append_message(item, where, messages);
  if (type == "function_call") return append_call(item, where, "arguments", messages);
  if (type == "custom_tool_call") return append_call(item, where, "input", messages);
  if (type == "function_call_output" || type == "custom_tool_call_output") {
    const auto* output = member(item, "output");
    messages.push_back({"tool", {{Part::Kind::text, output ? text_content(*output, "") : "", ""}}});
    return std::nullopt;
  }
  if (type == "reasoning") {
    if (string_member(item, "encrypted_content").empty()) return std::nullopt;
    return bad_parameter("Encrypted content is not supported.", "input");
  }
  if (type.empty()) return missing_field(fmt::format("{}.type", where), item);
  return bad_parameter(fmt::format("Unsupported input item type: {}", type), "input");
}

}  // namespace

std::expected<Conversation, ApiError> read_responses_input(const Body& body) {
  auto tools = read_response_tools(body);
  if (!tools) return std::unexpected(std::move(tools.error()));
  Conversation conversation{string_member(body, "instructions"), std::move(*tools), {}};
  auto& messages = conversation.messages;
  const auto found = body.find("input");
  if (found == body.end()) return std::unexpected(missing_field("input", body));
  if (found->is_string()) {
    messages.push_back({"user", {{Part::Kind::text, found->get<std::string>(), ""}}});
  } else if (!found->is_array()) {
    return std::unexpected(wrong_string("input", *found));
  } else {
    for (std::size_t i = 0; i < found->size(); ++i) {
      if (auto error = append_item((*found)[i], fmt::format("input.{}", i), messages))
        return std::unexpected(std::move(*error));
    }
  }
  if (conversation.system.empty()) lift_system(conversation);
  return conversation;
}

std::string repeated_members(const Body& body) {
  const auto* tools = member(body, "tools");
  Body repeated{{"instructions", nullptr},
                {"metadata", nullptr},
                {"parallel_tool_calls", true},
                {"temperature", 1.0},
                {"tool_choice", "auto"},
                {"tools", Body::array()},
                {"top_p", 1.0},
                {"max_tool_calls", nullptr},
                {"reasoning", nullptr},
                {"service_tier", "auto"},
                {"text", nullptr},
                {"truncation", "disabled"},
                {"user", nullptr},
                {"presence_penalty", 0.0},
                {"frequency_penalty", 0.0}};
  for (auto& [key, value] : repeated.items()) {
    if (const auto* asked = member(body, key.c_str())) value = *asked;
  }
  if (!tools || tools->empty()) repeated["tool_choice"] = "none";
  return normal_text(repeated);
}

}  // namespace lmw::simulator
