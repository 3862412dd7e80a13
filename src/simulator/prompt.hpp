// The chat template: a conversation as tokens. Append-only, so that a turn's prompt and the reply to it are a
// prefix of the next turn's prompt when the client sends the reply back, which is what a prefix cache lives
// on.
#pragma once

#include <vector>

#include "replica/tokens.hpp"
#include "simulator/conversation.hpp"

namespace lmw::simulator {

// System, tools, messages, and the opening of the assistant's next message.
std::vector<replica::Token> render_prompt(const Conversation& conversation);

// The inside of a message. Text parts that follow each other are one text, so that a list of parts equals a
// string.
void append_parts(const std::vector<Part>& parts, std::vector<replica::Token>& out);

}  // namespace lmw::simulator
