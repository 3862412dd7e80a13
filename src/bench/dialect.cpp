#include "bench/dialect.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/version.hpp"

namespace lmw::bench {

namespace {

using nlohmann::json;
using wire::Endpoint;

// As a UUID, the shape of most clients' ids.
std::string id_text(std::uint64_t id) {
  return fmt::format("{:08x}-0000-4000-8000-{:012x}", id >> 32, id & 0xffffffffffff);
}

json messages_of(const workload::Transcript& transcript) {
  auto list = json::array();
  for (const auto& message : transcript.messages()) {
    list.push_back({{"role", message.from_user ? "user" : "assistant"}, {"content", message.text}});
  }
  return list;
}

void fill_messages(json& body, const workload::Transcript& transcript, int max_tokens) {
  body["max_tokens"] = max_tokens;
  if (!transcript.system().empty()) {
    body["system"] = json::array({{{"type", "text"}, {"text", transcript.system()}}});
  }
  body["messages"] = messages_of(transcript);
}

void fill_chat(json& body, const workload::Transcript& transcript, int max_tokens) {
  body["max_tokens"] = max_tokens;
  body["stream_options"] = {{"include_usage", true}};
  body["messages"] = messages_of(transcript);
  if (transcript.system().empty()) return;
  body["messages"].insert(body["messages"].begin(),
                          json{{"role", "system"}, {"content", transcript.system()}});
}

void fill_responses(json& body, const workload::Transcript& transcript, int max_tokens) {
  body["max_output_tokens"] = max_tokens;
  body["store"] = false;
  if (!transcript.system().empty()) body["instructions"] = transcript.system();
  body["input"] = messages_of(transcript);
}

}  // namespace

wire::RequestHead request_head(const Dialect& dialect, const Origin& target, const Sender& sender,
                               std::size_t body_bytes) {
  wire::RequestHead head{
      "POST", target.base_path + std::string(wire::route_of(dialect.endpoint).path), 1, {}};
  head.headers.add("Host", target.authority());
  head.headers.add("Content-Type", "application/json");
  head.headers.add("Content-Length", std::to_string(body_bytes));
  if (!dialect.api_key.empty()) head.headers.add("Authorization", "Bearer " + dialect.api_key);
  const auto main = id_text(sender.parent.value_or(sender.conversation));
  switch (dialect.ids) {
    case Ids::none:
      head.headers.add("User-Agent", fmt::format("lmwarden-bench/{}", version));
      break;
    case Ids::session:
      head.headers.add("User-Agent", fmt::format("lmwarden-bench/{}", version));
      head.headers.add("X-Session-Id", id_text(sender.conversation));
      if (sender.parent) head.headers.add("X-Parent-Session-Id", main);
      break;
    case Ids::claude_code:
      head.headers.add("User-Agent", "claude-cli/2.1.332 (external, cli)");
      head.headers.add("X-Claude-Code-Session-Id", main);
      if (sender.parent)
        head.headers.add("x-claude-code-agent-id", fmt::format("a{:016x}", sender.conversation));
      break;
  }
  return head;
}

std::string request_body(const Dialect& dialect, const workload::Transcript& transcript, int max_tokens) {
  json body{{"model", dialect.model}, {"stream", true}};
  if (dialect.ignore_eos) body["ignore_eos"] = true;
  switch (dialect.endpoint) {
    case Endpoint::chat_completions:
      fill_chat(body, transcript, max_tokens);
      break;
    case Endpoint::responses:
      fill_responses(body, transcript, max_tokens);
      break;
    default:
      fill_messages(body, transcript, max_tokens);
  }
  if (dialect.ids == Ids::claude_code) {
    body["tools"] = json::array({{{"name", "Bash"}, {"input_schema", {{"type", "object"}}}}});
  }
  return body.dump();
}

void append_text(Endpoint endpoint, const wire::SseEvent& event, std::string& text) {
  const auto data = json::parse(event.data, nullptr, false);
  if (!data.is_object()) return;
  const auto text_of = [](const json& object, const char* field) {
    const auto found = object.is_object() ? object.find(field) : object.end();
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (endpoint == Endpoint::messages && event.name == "content_block_delta") {
    text += text_of(data.value("delta", json()), "text");
  } else if (endpoint == Endpoint::responses && event.name == "response.output_text.delta") {
    text += text_of(data, "delta");
  } else if (endpoint == Endpoint::chat_completions) {
    const auto choices = data.value("choices", json::array());
    if (choices.is_array() && !choices.empty() && choices[0].is_object())
      text += text_of(choices[0].value("delta", json()), "content");
  }
}

}  // namespace lmw::bench
