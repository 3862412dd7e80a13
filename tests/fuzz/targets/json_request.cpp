// The JSON of a request: peeked at, and edited by byte ranges. Compared with a reader that builds the whole
// document.
#include <string>
#include <tuple>

#include "documents.hpp"
#include "target.hpp"
#include "wire/peek.hpp"
#include "wire/splice.hpp"
#include "wire/user_id.hpp"

namespace lmw::fuzz {
namespace {

constexpr std::string_view billing_mark = "x-anthropic-billing-header:";
constexpr std::string_view new_model = "another \"model\"";

auto members(const wire::Peek& p) {
  return std::tie(p.object_begin, p.empty_object, p.model, p.model_value, p.stream, p.stream_options,
                  p.stream_options_value, p.stream_options_empty, p.include_usage, p.include_usage_value,
                  p.user, p.prompt_cache_key, p.metadata_session, p.billing, p.messages, p.tools);
}

void check_padding(std::string_view text, const Result<wire::Peek>& peek) {
  for (const char padding : {'"', ']', '1', ' '}) {
    const Body body(text, padding);
    const auto other = wire::peek(body.view());
    require(peek.has_value() == other.has_value(), "what follows the body makes no difference");
    if (!peek) continue;
    require(members(*peek) == members(*other), "what follows the body makes no difference");
    require(equal(peek->fingerprint, other->fingerprint), "what follows the body makes no difference");
  }
}

void check_ranges(const wire::Peek& peek, std::string_view body) {
  const auto inside = [&](const wire::ByteRange& range) {
    require(range.begin < range.end && range.end <= body.size(), "a range is inside the body");
    return body.substr(range.begin, range.end - range.begin);
  };
  require(body.at(peek.object_begin) == '{', "the object begins with its brace");
  if (peek.model) {
    const auto value = inside(peek.model_value);
    require(value.size() > 2 && value.front() == '"' && value.back() == '"', "the model is a string");
  }
  if (peek.stream_options == wire::Peek::StreamOptions::object) {
    const auto value = inside(peek.stream_options_value);
    require(value.front() == '{' && value.back() == '}', "the options are an object");
  }
  if (peek.include_usage_value) inside(*peek.include_usage_value);
  if (peek.billing) inside(*peek.billing);
}

// --- what the document says

std::string text_at(const Json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::size_t elements(const Json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? found->size() : 0;
}

std::string session_of(const Json& document) {
  const auto metadata = document.find("metadata");
  if (metadata == document.end() || !metadata->is_object() || !metadata->contains("user_id")) return {};
  const Json& user_id = (*metadata)["user_id"];
  if (user_id.is_object()) return text_at(user_id, "session_id");
  if (!user_id.is_string()) return {};
  return wire::session_of_user_id(user_id.get<std::string>()).value_or("");
}

void check_fields(const wire::Peek& peek, const Json& document) {
  const bool messages_listed = document.contains("messages") && document["messages"].is_array();
  require(peek.model.value_or("") == text_at(document, "model"), "model");
  require(peek.user.value_or("") == text_at(document, "user"), "user");
  require(peek.prompt_cache_key.value_or("") == text_at(document, "prompt_cache_key"), "prompt_cache_key");
  require(peek.metadata_session.value_or("") == session_of(document), "metadata");
  require(peek.stream == (document.value("stream", Json()) == true), "stream");
  require(peek.empty_object == document.empty(), "empty object");
  require(peek.messages == elements(document, messages_listed ? "messages" : "input"), "messages");
  require(peek.tools == elements(document, "tools"), "tools");
}

// --- edits

std::string edited(const wire::Splice& splice, std::string_view body) {
  std::string result;
  for (const auto piece : splice.pieces(body)) result += piece;
  require(result.size() == splice.size_after(body.size()), "the size is foretold");
  return result;
}

// The system prompt without the billing line at its head.
Json without_billing(Json system) {
  if (system.is_string()) {
    const auto text = system.get<std::string>();
    require(text.starts_with(billing_mark), "only a billing line is dropped");
    const auto line = text.find('\n');
    return line == text.npos ? std::string() : text.substr(line + 1);
  }
  require(text_at(system.at(0), "text").starts_with(billing_mark), "only a billing block is dropped");
  system.erase(0);
  return system;
}

struct Edits {
  bool model = false, billing = false, usage = false;
};

void check_edits(const wire::Peek& peek, std::string_view body, Edits edits, const Json& document) {
  wire::Splice splice;
  Json expected = document.is_discarded() ? Json::object() : document;
  if (edits.model && peek.model) {
    wire::replace_model(peek, new_model, splice);
    expected["model"] = new_model;
  }
  if (edits.billing && wire::drop_billing(peek, splice) && !document.is_discarded())
    expected["system"] = without_billing(document["system"]);
  if (edits.usage && wire::ask_for_usage(peek, splice)) expected["stream_options"]["include_usage"] = true;
  const auto result = edited(splice, body);
  if (document.is_discarded()) return;
  require(Json::parse(result, nullptr, false) == expected,
          "the edits change what they name, and nothing else");

  const auto again = wire::peek(Body(result).view());
  require(again.has_value(), "an edited body can be edited again");
  auto before = peek.fingerprint, after = again->fingerprint;
  // Behind the line that was dropped the user may quote one, which stands at the head then and is left out.
  if (edits.billing && again->billing) before.system = after.system = {};
  require(equal(after, before), "it is the same prompt");
  if (edits.model && peek.model) require(again->model == new_model, "the model is the new one");
  if (edits.usage && again->stream && again->stream_options != wire::Peek::StreamOptions::other)
    require(again->include_usage, "usage has been asked for");
}

}  // namespace

void run(std::string_view text) {
  const Body body(text);
  const auto peek = wire::peek(body.view());
  check_padding(text, peek);
  const Json document = document_of(text);
  if (document.is_object()) require(peek.has_value(), "what is JSON can be peeked at");
  if (!peek) return;
  check_ranges(*peek, body.view());
  if (!document.is_discarded()) check_fields(*peek, document);
  for (const Edits edits : {Edits{}, Edits{.model = true}, Edits{.billing = true}, Edits{.usage = true},
                            Edits{.model = true, .billing = true, .usage = true}})
    check_edits(*peek, body.view(), edits, document);
}

}  // namespace lmw::fuzz
