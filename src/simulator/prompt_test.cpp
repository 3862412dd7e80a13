#include "simulator/prompt.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "simulator/request.hpp"

namespace lmw::simulator {
namespace {

using Json = nlohmann::ordered_json;
using replica::Token;
using wire::Endpoint;

std::vector<Token> prompt_of(const Json& body, Endpoint endpoint) {
  const auto request = parse_turn(body.dump(), endpoint);
  EXPECT_TRUE(request) << request.error().message;
  return request ? render_prompt(request->conversation) : std::vector<Token>();
}

Json base_request() {
  return Json::parse(R"({"model":"m","max_tokens":100,
    "tools":[{"name":"Bash","input_schema":{"type":"object"}}],
    "messages":[{"role":"user","content":"List the files of this folder."}]})");
}

TEST(Prompt, IsTheSameForAStringAndAListOfItsParts) {
  const auto text = prompt_of(base_request(), Endpoint::messages);
  auto list = base_request();
  list["messages"][0]["content"] = Json::parse(R"([{"type":"text","text":"List the files"},
    {"type":"text","text":" of this folder.","cache_control":{"type":"ephemeral"}}])");
  EXPECT_EQ(prompt_of(list, Endpoint::messages), text);
}

TEST(Prompt, HasNoTraceOfCacheControlMetadataAndIds) {
  auto request = base_request();
  const auto call = [](const char* id) {
    return Json{{"role", "assistant"},
                {"content",
                 Json::array({{{"type", "tool_use"}, {"id", id}, {"name", "Bash"}, {"input", {{"a", 1}}}}})}};
  };
  auto other = request;
  request["messages"].push_back(call("toolu_1"));
  other["messages"].push_back(call("toolu_2"));
  other["tools"][0]["cache_control"] = {{"type", "ephemeral"}};
  other["metadata"] = {{"user_id", "u"}};
  EXPECT_EQ(prompt_of(request, Endpoint::messages), prompt_of(other, Endpoint::messages));
}

TEST(Prompt, DiffersWhenAToolResultDiffers) {
  auto request = base_request();
  request["messages"].push_back(
      Json::parse(R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"one"}]})"));
  auto other = request;
  other["messages"][1]["content"][0]["content"] = Json::parse(R"([{"type":"text","text":"two"}])");
  EXPECT_NE(prompt_of(request, Endpoint::messages), prompt_of(other, Endpoint::messages));
}

TEST(Prompt, LeavesOutTheBillingLineOfTheSystemPrompt) {
  auto request = base_request();
  request["system"] = Json::parse(
      R"([{"type":"text","text":"x-anthropic-billing-header: cch=1;"},{"type":"text","text":"Be brief."}])");
  auto plain = base_request();
  plain["system"] = "Be brief.";
  EXPECT_EQ(prompt_of(request, Endpoint::messages), prompt_of(plain, Endpoint::messages));
}

TEST(Prompt, PutsTheSystemTextBeforeTheToolsOfMessagesAsOfChat) {
  auto messages = base_request();
  messages["system"] = "Be brief.";
  auto chat = base_request();
  chat["messages"].insert(chat["messages"].begin(), Json{{"role", "system"}, {"content", "Be brief."}});
  EXPECT_EQ(prompt_of(messages, Endpoint::messages), prompt_of(chat, Endpoint::chat_completions));
}

}  // namespace
}  // namespace lmw::simulator
