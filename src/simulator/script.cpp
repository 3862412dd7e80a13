#include "simulator/script.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmw::simulator {

namespace {
using Json = nlohmann::json;

// What agents put before or beside the words of their user.
bool is_reminder(const Part& part) {
  return part.text.starts_with("<system-reminder>") || part.text.starts_with("<environment_context>");
}

template <class T>
bool read(const Json& value, std::optional<T>& out) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!value.is_boolean()) return false;
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!value.is_string()) return false;
  } else {
    if (!value.is_number_integer()) return false;
  }
  out = value.get<T>();
  return true;
}

Result<Condition> read_condition(const Json& when) {
  Condition condition;
  if (!when.is_object()) return failure("`when` must be an object");
  for (const auto& [key, value] : when.items()) {
    bool good = false;
    if (key == "first_user_contains") good = read(value, condition.first_user_contains);
    if (key == "last_user_contains") good = read(value, condition.last_user_contains);
    if (key == "is_tool_result") good = read(value, condition.is_tool_result);
    if (key == "has_tool") good = read(value, condition.has_tool);
    if (key == "turn") good = read(value, condition.turn);
    if (!good) return failure(fmt::format("`when` has an unknown key or a wrong type: {}", key));
  }
  return condition;
}

Result<Part> read_item(const Json& item) {
  const auto bad = [] {
    return failure("a reply item must be {\"text\": ...} or {\"tool_use\": {name, input}}");
  };
  if (!item.is_object() || item.size() != 1) return bad();
  if (const auto text = item.find("text"); text != item.end()) {
    if (!text->is_string()) return bad();
    return Part{Part::Kind::text, text->get<std::string>(), ""};
  }
  const auto use = item.find("tool_use");
  if (use == item.end() || !use->is_object() || use->size() != 2) return bad();
  const auto name = use->find("name");
  const auto input = use->find("input");
  if (name == use->end() || !name->is_string() || input == use->end() || !input->is_object()) return bad();
  return Part{Part::Kind::tool_call, input->dump(), name->get<std::string>()};
}

Result<Rule> read_rule(const Json& json) {
  if (!json.is_object()) return failure("must be an object");
  Rule rule;
  for (const auto& [key, value] : json.items()) {
    if (key == "when") {
      auto condition = read_condition(value);
      if (!condition) return std::unexpected(condition.error());
      rule.when = std::move(*condition);
    } else if (key == "reply" && value.is_array()) {
      for (const auto& item : value) {
        auto part = read_item(item);
        if (!part) return std::unexpected(part.error());
        rule.reply.push_back(std::move(*part));
      }
    } else {
      return failure(fmt::format("has an unknown key or a wrong type: {}", key));
    }
  }
  if (rule.reply.empty()) return failure("needs a `reply` with at least one item");
  return rule;
}

bool is_user(const Message& message) {
  if (message.role != "user" && message.role != "tool") return false;
  return message.parts.empty() || !std::ranges::all_of(message.parts, is_reminder);
}

std::string text_of(const Message& message) {
  std::string text;
  bool first = true;
  for (const auto& part : message.parts) {
    if (part.kind == Part::Kind::tool_call || is_reminder(part)) continue;
    if (!std::exchange(first, false)) text += '\n';
    text += part.text;
  }
  return text;
}

bool is_tool_result(const Message& message) {
  return message.role == "tool" || std::ranges::any_of(message.parts, [](const Part& part) {
           return part.kind == Part::Kind::tool_result;
         });
}

bool holds(const Condition& when, const Conversation& conversation) {
  const auto& messages = conversation.messages;
  const auto first = std::ranges::find_if(messages, is_user);
  const auto last = std::find_if(messages.rbegin(), messages.rend(), is_user);
  const bool any = first != messages.end();
  const auto contains = [&](const std::optional<std::string>& wanted, const Message* message) {
    return !wanted || (message ? text_of(*message) : std::string()).find(*wanted) != std::string::npos;
  };
  if (!contains(when.first_user_contains, any ? &*first : nullptr)) return false;
  if (!contains(when.last_user_contains, any ? &*last : nullptr)) return false;
  if (when.is_tool_result && *when.is_tool_result != (any && is_tool_result(*last))) return false;
  if (when.has_tool &&
      std::ranges::find(conversation.tools, *when.has_tool, &Tool::name) == conversation.tools.end())
    return false;
  const auto turn = 1 + std::ranges::count(messages, "assistant", &Message::role);
  return !when.turn || *when.turn == turn;
}

}  // namespace

Result<Script> Script::parse(std::string_view text) {
  const auto json = Json::parse(text, nullptr, false);
  if (!json.is_object() || json.size() != 1 || !json.contains("rules") || !json["rules"].is_array())
    return failure("the script must be a JSON object with the one key `rules`, a list");
  Script script;
  for (const auto& item : json["rules"]) {
    auto rule = read_rule(item);
    if (!rule) return failure(fmt::format("rule {}: {}", script.rules_.size() + 1, rule.error().message));
    script.rules_.push_back(std::move(*rule));
  }
  return script;
}

Result<Script> Script::load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return failure(fmt::format("can't read the script {}", path));
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  auto script = parse(text);
  if (!script) return failure(fmt::format("{}: {}", path, script.error().message));
  return script;
}

const std::vector<Part>* Script::reply_to(const Conversation& conversation) const {
  for (const auto& rule : rules_) {
    if (holds(rule.when, conversation)) return &rule.reply;
  }
  return nullptr;
}

}  // namespace lmw::simulator
