// Scripted replies, so that a real agent can be led through tool calls (format:
// docs/simulator-script.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "simulator/conversation.hpp"

namespace lmw::simulator {

struct Condition {
  std::optional<std::string> first_user_contains;
  std::optional<std::string> last_user_contains;
  std::optional<bool> is_tool_result;
  std::optional<std::string> has_tool;
  std::optional<std::int64_t> turn;  // 1 + the assistant messages
};

struct Rule {
  Condition when;
  std::vector<Part> reply;  // not empty: text and tool_call parts
};

class Script {
 public:
  // Errors name the rule.
  static Result<Script> parse(std::string_view json);
  static Result<Script> load(const std::string& path);

  // The parts of the first rule that holds; null when none does. Depends on nothing but the conversation.
  const std::vector<Part>* reply_to(const Conversation& conversation) const;

 private:
  std::vector<Rule> rules_;
};

}  // namespace lmw::simulator
