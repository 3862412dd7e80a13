// The conversation in a body of chat, /v1/messages and /tokenize.
#pragma once

#include "simulator/body.hpp"
#include "simulator/conversation.hpp"
#include "wire/api.hpp"

namespace lmw::simulator {

std::optional<ApiError> check_messages(const Body& body);
// Of a body that check_messages() has passed.
Conversation read_conversation(const Body& body, wire::Family family);

// A string, or the text parts of a list joined by `separator`.
std::string text_content(const Body& content, std::string_view separator);
// Its role, and the parts of its `content` and `tool_calls`.
Message read_message(const Body& json);
// A tool call's arguments: JSON text in a string, or a value.
std::string normal_arguments(const Body& arguments);
// A system or developer message at the head becomes the system prompt.
void lift_system(Conversation& conversation);

}  // namespace lmw::simulator
