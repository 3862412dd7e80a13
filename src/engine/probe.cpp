#include "engine/probe.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmw::engine {

namespace {

using nlohmann::json;

// Long enough to fill blocks of the usual sizes (16 to 256 tokens), since only whole blocks are cached.
std::string prompt() {
  std::string text = "Answer with one word. This text only fills the cache:";
  for (int i = 0; i < 300; ++i) text += fmt::format(" word{}", i % 97);
  return text;
}

net::FetchOptions chat_request(const Access& access, const std::string& model) {
  const json message{{"role", "user"}, {"content", prompt()}};
  const json body{{"model", model}, {"max_tokens", 1}, {"messages", json::array({message})}};
  auto options = request(access, "POST", body.dump(-1, ' ', false, json::error_handler_t::replace));
  options.headers.add("X-data-parallel-rank", "0");
  return options;
}

// Engines leave the field out, or make its parent null, when they don't tell.
bool has_cached_tokens(const std::string& body) {
  static const json::json_pointer field("/usage/prompt_tokens_details/cached_tokens");
  const auto answer = json::parse(body, nullptr, false);
  return answer.is_object() && answer.contains(field) && answer.at(field).is_number();
}

}  // namespace

net::awaitable<ProbeResult> probe(Access access, std::string model) {
  ProbeResult result{.ran = true};
  const auto asked = chat_request(access, model);
  for (int turn = 0; turn < 2; ++turn) {
    const auto answer = co_await net::fetch(access.origin, "/v1/chat/completions", asked);
    if (!answer) {
      result.error = answer.error().message;
    } else if (answer->head.status != 200) {
      result.error =
          fmt::format("POST {}/v1/chat/completions: answered {}", access.origin.url(), answer->head.status);
    } else {
      result.reports_cached_tokens = has_cached_tokens(answer->body);
    }
    if (!result.error.empty()) break;
  }
  co_return result;
}

}  // namespace lmw::engine
