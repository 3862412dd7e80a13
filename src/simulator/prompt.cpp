#include "simulator/prompt.hpp"

namespace lmw::simulator {

namespace {
using replica::Token;

// Special tokens, which no text makes.
enum Mark : Token {
  system_begin = 0xffff'ff00,
  user_begin,
  assistant_begin,
  tool_begin,
  other_begin,
  message_end,
  tools_begin,
  tools_end,
  call_begin,
  call_arguments,
  call_end,
  result_begin,
  result_end,
};

Mark mark_of(std::string_view role) {
  if (role == "system" || role == "developer") return system_begin;
  if (role == "user") return user_begin;
  if (role == "assistant") return assistant_begin;
  if (role == "tool") return tool_begin;
  return other_begin;
}

void append_part(const Part& part, std::vector<Token>& out) {
  if (part.kind == Part::Kind::tool_call) {
    out.push_back(call_begin);
    replica::append_tokens(part.name, out);
    out.push_back(call_arguments);
    replica::append_tokens(part.text, out);
    out.push_back(call_end);
  } else {
    out.push_back(result_begin);
    replica::append_tokens(part.text, out);
    out.push_back(result_end);
  }
}

}  // namespace

void append_parts(const std::vector<Part>& parts, std::vector<Token>& out) {
  std::string text;
  for (const auto& part : parts) {
    if (part.kind == Part::Kind::text) {
      text += part.text;
      continue;
    }
    replica::append_tokens(text, out);
    text.clear();
    append_part(part, out);
  }
  replica::append_tokens(text, out);
}

std::vector<Token> render_prompt(const Conversation& conversation) {
  std::vector<Token> out;
  if (!conversation.system.empty() || !conversation.tools.empty()) {
    out.push_back(system_begin);
    replica::append_tokens(conversation.system, out);
    if (!conversation.tools.empty()) {
      out.push_back(tools_begin);
      for (const auto& tool : conversation.tools) replica::append_tokens(tool.definition + "\n", out);
      out.push_back(tools_end);
    }
    out.push_back(message_end);
  }
  for (const auto& message : conversation.messages) {
    out.push_back(mark_of(message.role));
    append_parts(message.parts, out);
    out.push_back(message_end);
  }
  out.push_back(assistant_begin);
  return out;
}

}  // namespace lmw::simulator
