#include "simulator/request.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmw::simulator {

namespace {
using Json = nlohmann::json;  // sorts keys: its dump is the normal form
using wire::Family;

constexpr std::string_view billing_line = "x-anthropic-billing-header:";

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Null when there is no such member, or it is null.
const Json* member(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string string_member(const Json& object, const char* key) {
  const auto* value = member(object, key);
  return value && value->is_string() ? value->get<std::string>() : std::string();
}

bool true_member(const Json& object, const char* key) {
  const auto* value = member(object, key);
  return value && value->is_boolean() && value->get<bool>();
}

// Arguments that are JSON text of a string (chat) or a value (messages).
std::string normal_arguments(const Json& arguments) {
  if (!arguments.is_string()) return text_of(arguments);
  const auto& text = arguments.get_ref<const std::string&>();
  const auto parsed = Json::parse(text, nullptr, false);
  return parsed.is_discarded() ? text : text_of(parsed);
}

// A string, or the text parts of a list joined by `separator`.
std::string text_content(const Json& content, std::string_view separator) {
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

std::optional<Part> read_part(const Json& part) {
  if (!part.is_object()) return std::nullopt;
  const auto type = string_member(part, "type");
  if (type == "tool_use") {
    const auto* input = member(part, "input");
    return Part{Part::Kind::tool_call, input ? text_of(*input) : "{}", string_member(part, "name")};
  }
  if (type == "tool_result") {
    const auto* content = member(part, "content");
    return Part{Part::Kind::tool_result, content ? text_content(*content, "\n") : "", ""};
  }
  if (!member(part, "text")) return std::nullopt;
  return Part{Part::Kind::text, string_member(part, "text"), ""};
}

Message read_message(const Json& json) {
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

std::vector<Tool> read_tools(const Json& body) {
  std::vector<Tool> tools;
  const auto* list = member(body, "tools");
  if (!list || !list->is_array()) return tools;
  for (auto tool : *list) {
    if (!tool.is_object()) continue;
    tool.erase("cache_control");
    const auto* function = member(tool, "function");
    tools.push_back(
        {string_member(function && function->is_object() ? *function : tool, "name"), text_of(tool)});
  }
  return tools;
}

// The `system` of /v1/messages. vLLM leaves out the line that differs per call and would cost the whole
// prefix.
std::string read_system(const Json& body) {
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

Conversation read_conversation(const Json& body, Family family) {
  Conversation conversation{family == Family::anthropic ? read_system(body) : "", read_tools(body), {}};
  for (const auto& message : body.at("messages")) conversation.messages.push_back(read_message(message));
  auto& messages = conversation.messages;
  const bool leads = family == Family::openai && !messages.empty() &&
                     (messages[0].role == "system" || messages[0].role == "developer");
  if (leads) {
    for (const auto& part : messages[0].parts) conversation.system += part.text;
    messages.erase(messages.begin());
  }
  return conversation;
}

ApiError missing(const char* field) {
  return validation_error(
      fmt::format("{{'type': 'missing', 'loc': ('body', '{}'), 'msg': 'Field required', 'input': {{}}}}",
                  field),
      fmt::format("body.{}", field));
}

ApiError wrong_type(const char* field, std::string_view type, std::string_view expected) {
  return validation_error(fmt::format("{{'type': '{}', 'loc': ('body', '{}'), 'msg': 'Input should be {}'}}",
                                      type, field, expected),
                          fmt::format("body.{}", field));
}

std::expected<Json, ApiError> read_object(std::string_view body) {
  auto json = Json::parse(body, nullptr, false);
  if (json.is_discarded()) {
    return std::unexpected(
        validation_error("{'type': 'json_invalid', 'loc': ('body', 0), 'msg': 'JSON decode error', 'input': "
                         "{}, 'ctx': {'error': "
                         "'Expecting value'}}",
                         "body.0"));
  }
  if (!json.is_object()) {
    return std::unexpected(
        validation_error("{'type': 'model_attributes_type', 'loc': ('body',), 'msg': 'Input should be a "
                         "valid dictionary or object "
                         "to extract fields from'}",
                         "body"));
  }
  return json;
}

std::optional<ApiError> check_messages(const Json& body) {
  const auto* messages = member(body, "messages");
  if (!messages) return missing("messages");
  if (!messages->is_array()) return wrong_type("messages", "list_type", "a valid list");
  for (const auto& message : *messages) {
    if (!message.is_object() || string_member(message, "role").empty())
      return wrong_type("messages", "union_tag_not_found", "a message with a role");
  }
  return std::nullopt;
}

std::optional<ApiError> check_fields(const Json& body, Family family, bool generates) {
  const auto* model = member(body, "model");
  if (!model && family == Family::anthropic) return missing("model");
  if (model && !model->is_string()) return wrong_type("model", "string_type", "a valid string");
  if (auto error = check_messages(body)) return error;
  if (const auto* stream = member(body, "stream"); stream && !stream->is_boolean())
    return wrong_type("stream", "bool_type", "a valid boolean");
  for (const auto* key : {"max_tokens", "max_completion_tokens"}) {
    if (const auto* value = member(body, key); value && !value->is_number_integer())
      return wrong_type(key, "int_type", "a valid integer");
  }
  if (family == Family::anthropic && generates && !member(body, "max_tokens")) return missing("max_tokens");
  return std::nullopt;
}

void read_options(const Json& body, Family family, TurnRequest& request) {
  request.stream = true_member(body, "stream");
  for (const auto* key : {"max_tokens", "max_completion_tokens"}) {
    if (const auto* value = member(body, key)) request.max_tokens = value->get<std::int64_t>();
  }
  if (family == Family::anthropic) return;
  request.ignore_eos = true_member(body, "ignore_eos");
  const auto* options = member(body, "stream_options");
  if (!options || !options->is_object()) return;
  request.include_usage = true_member(*options, "include_usage");
  request.continuous_usage_stats = request.include_usage && true_member(*options, "continuous_usage_stats");
}

std::optional<std::string> read_model(const Json& body) {
  const auto* model = member(body, "model");
  return model ? std::optional(model->get<std::string>()) : std::nullopt;
}

}  // namespace

std::expected<TurnRequest, ApiError> parse_turn(std::string_view body, Family family, bool generates) {
  const auto json = read_object(body);
  if (!json) return std::unexpected(json.error());
  if (auto error = check_fields(*json, family, generates)) return std::unexpected(std::move(*error));
  TurnRequest request;
  request.model = read_model(*json);
  request.conversation = read_conversation(*json, family);
  read_options(*json, family, request);
  if (request.max_tokens.value_or(1) < 1) {
    return std::unexpected(bad_request(
        fmt::format("max_tokens must be at least 1, got {}.", *request.max_tokens), "max_tokens"));
  }
  return request;
}

std::expected<TokenizeRequest, ApiError> parse_tokenize(std::string_view body) {
  const auto json = read_object(body);
  if (!json) return std::unexpected(json.error());
  if (const auto* model = member(*json, "model"); model && !model->is_string())
    return std::unexpected(wrong_type("model", "string_type", "a valid string"));
  TokenizeRequest request;
  request.model = read_model(*json);
  if (const auto* prompt = member(*json, "prompt")) {
    if (!prompt->is_string()) return std::unexpected(wrong_type("prompt", "string_type", "a valid string"));
    request.prompt = prompt->get<std::string>();
    return request;
  }
  if (auto error = check_messages(*json)) return std::unexpected(std::move(*error));
  request.conversation = read_conversation(*json, Family::openai);
  return request;
}

}  // namespace lmw::simulator
