// The JSON of an answer: its token counts, and the model's name put back. Compared with a reader that builds
// the whole document.
#include <array>
#include <string>

#include "documents.hpp"
#include "gateway/model_echo.hpp"
#include "target.hpp"
#include "wire/usage.hpp"

namespace lmw::fuzz {
namespace {

using Count = std::optional<std::int64_t>;
using wire::Endpoint;

constexpr std::array endpoints{Endpoint::chat_completions, Endpoint::completions, Endpoint::responses,
                               Endpoint::messages};
constexpr std::string_view asked = "asked";

// --- token counts

Count count_at(const Json& object, std::string_view key) {
  constexpr std::int64_t most = std::int64_t{1} << 48;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() > most) return std::nullopt;
  const auto count = found->get<std::int64_t>();
  return count >= 0 ? Count(count) : std::nullopt;
}

wire::Usage openai_usage(const Json& usage, std::string_view prompt, std::string_view completion) {
  wire::Usage result{count_at(usage, prompt), std::nullopt, count_at(usage, completion)};
  const auto details = usage.find(std::string(prompt) + "_details");
  if (details != usage.end() && details->is_object()) result.cached = count_at(*details, "cached_tokens");
  return result;
}

wire::Usage anthropic_usage(const Json& usage) {
  const auto cached = count_at(usage, "cache_read_input_tokens");
  auto prompt = count_at(usage, "input_tokens");
  if (prompt) *prompt += cached.value_or(0) + count_at(usage, "cache_creation_input_tokens").value_or(0);
  return {prompt, cached, count_at(usage, "output_tokens")};
}

wire::Usage expected_usage(Endpoint endpoint, const Json& document) {
  const auto usage = document.find("usage");
  if (usage == document.end() || !usage->is_object()) return {};
  wire::Usage result;
  if (endpoint == Endpoint::messages) {
    result = anthropic_usage(*usage);
  } else if (endpoint == Endpoint::responses) {
    result = openai_usage(*usage, "input_tokens", "output_tokens");
  } else {
    result = openai_usage(*usage, "prompt_tokens", "completion_tokens");
  }
  if (!result.prompt || result.cached > result.prompt) result.cached.reset();
  return result;
}

void check_usage(std::string_view body, const Json& document) {
  for (const auto endpoint : endpoints) {
    const auto usage = wire::usage_of_body(endpoint, body);
    for (const auto& count : {usage.prompt, usage.cached, usage.completion})
      require(count.value_or(0) >= 0, "no count is negative");
    require(!usage.cached || (usage.prompt && *usage.cached <= *usage.prompt),
            "the cached are part of the prompt");
    // Where usage stands in two places the last one counts, and a document has no order.
    if (!document.is_object() || document.contains("message") || document.contains("response")) continue;
    require(usage == expected_usage(endpoint, document), "usage");
  }
}

// --- the model's name

void check_echo_in_body(const std::string& body, const std::string& upstream, Json document) {
  std::string echoed = body;
  gateway::echo_in_body(echoed, upstream, asked);
  if (document.is_discarded()) return;
  if (document.is_object() && document.contains("model") && document["model"] == upstream)
    document["model"] = asked;
  require(Json::parse(echoed, nullptr, false) == document, "the model's name is changed, and nothing else");
}

// Whether they are equal but for one member `model`, which was `upstream` and is `asked`.
bool only_model_changed(const Json& before, const Json& after, const std::string& upstream) {
  std::size_t changed = 0;
  for (const Json& step : Json::diff(before, after)) {
    const auto path = step.at("path").get<std::string>();
    const bool is_echo = step.at("op") == "replace" && path.ends_with("/model") &&
                         step.at("value") == asked && before.at(Json::json_pointer(path)) == upstream;
    if (!is_echo || ++changed > 1) return false;
  }
  return true;
}

void check_echo_in_event(const std::string& body, const std::string& upstream, const Json& document) {
  constexpr std::string_view before = R"(data: {"model":"first"}  data: )";
  std::string out = std::string(before) + body;
  gateway::echo_in_event(out, before.size(), upstream, asked);
  require(out.starts_with(before), "what stands before the event is untouched");
  if (document.is_discarded()) return;
  const auto echoed = Json::parse(out.substr(before.size()), nullptr, false);
  require(!echoed.is_discarded(), "an event is JSON as before");
  require(only_model_changed(document, echoed, upstream), "one model's name is changed, and nothing else");
}

std::string upstream_of(const Json& document) {
  const auto model = document.is_object() ? document.value("model", Json()) : Json();
  return model.is_string() && model != "" ? model.get<std::string>() : "tiny";
}

}  // namespace

void run(std::string_view body) {
  const auto document = document_of(body);
  check_usage(body, document);
  const auto upstream = upstream_of(document);
  check_echo_in_body(std::string(body), upstream, document);
  check_echo_in_event(std::string(body), upstream, document);
}

}  // namespace lmw::fuzz
