#include "simulator/prompt.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "simulator/answer.hpp"

namespace lmw::simulator {
namespace {

using Json = nlohmann::ordered_json;
using replica::Token;
using wire::Family;

std::vector<Token> prompt_of(const Json& body, Family family) {
  const auto request = parse_turn(body.dump(), family);
  EXPECT_TRUE(request) << request.error().message;
  return request ? render_prompt(request->conversation) : std::vector<Token>();
}

Json base_request() {
  return Json::parse(R"({"model":"m","max_tokens":100,
    "tools":[{"name":"Bash","input_schema":{"type":"object"}}],
    "messages":[{"role":"user","content":"List the files of this folder."}]})");
}

// What a client sends back of a whole answer, with a next user message.
Json next_request(Json request, const std::string& answer, Family family) {
  const auto json = Json::parse(answer);
  if (family == Family::openai) {
    request["messages"].push_back(json.at("choices").at(0).at("message"));
  } else {
    request["messages"].push_back({{"role", "assistant"}, {"content", json.at("content")}});
  }
  request["messages"].push_back({{"role", "user"}, {"content", "And now?"}});
  return request;
}

class PromptOfTheNextTurn : public testing::TestWithParam<Family> {
 protected:
  void expect_prefix(const Reply& reply) {
    const auto request = base_request();
    auto before = prompt_of(request, GetParam());
    AnswerHead head;
    head.model = "m";
    const auto answer =
        GetParam() == Family::openai ? make_chat_answer(head, reply) : make_messages_answer(head, reply);
    before.insert(before.end(), reply.tokens.begin(), reply.tokens.end());
    const auto after = prompt_of(next_request(request, answer->whole(std::nullopt), GetParam()), GetParam());
    ASSERT_GT(after.size(), before.size());
    EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
  }
};

TEST_P(PromptOfTheNextTurn, BeginsWithThisPromptAndTheWordsOfItsReply) {
  Random random(3);
  expect_prefix(random_reply({100, Finish::length}, random));
}

TEST_P(PromptOfTheNextTurn, BeginsWithThisPromptAndItsToolCalls) {
  Random ids(3);
  const std::vector<Part> parts{{Part::Kind::text, "First I look, 然后 I think.", ""},
                                {Part::Kind::tool_call, R"({"command":"ls -l","timeout":5})", "Bash"},
                                {Part::Kind::text, "Then this:", ""},
                                {Part::Kind::text, " more", ""},
                                {Part::Kind::tool_call, "{}", "Done"}};
  expect_prefix(scripted_reply(parts, GetParam(), ids));
}

INSTANTIATE_TEST_SUITE_P(OfBothFamilies, PromptOfTheNextTurn,
                         testing::Values(Family::openai, Family::anthropic),
                         [](const auto& info) { return info.param == Family::openai ? "chat" : "messages"; });

TEST(Prompt, IsTheSameForAStringAndAListOfItsParts) {
  const auto text = prompt_of(base_request(), Family::anthropic);
  auto list = base_request();
  list["messages"][0]["content"] = Json::parse(R"([{"type":"text","text":"List the files"},
    {"type":"text","text":" of this folder.","cache_control":{"type":"ephemeral"}}])");
  EXPECT_EQ(prompt_of(list, Family::anthropic), text);
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
  EXPECT_EQ(prompt_of(request, Family::anthropic), prompt_of(other, Family::anthropic));
}

TEST(Prompt, DiffersWhenAToolResultDiffers) {
  auto request = base_request();
  request["messages"].push_back(
      Json::parse(R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"one"}]})"));
  auto other = request;
  other["messages"][1]["content"][0]["content"] = Json::parse(R"([{"type":"text","text":"two"}])");
  EXPECT_NE(prompt_of(request, Family::anthropic), prompt_of(other, Family::anthropic));
}

TEST(Prompt, LeavesOutTheBillingLineOfTheSystemPrompt) {
  auto request = base_request();
  request["system"] = Json::parse(
      R"([{"type":"text","text":"x-anthropic-billing-header: cch=1;"},{"type":"text","text":"Be brief."}])");
  auto plain = base_request();
  plain["system"] = "Be brief.";
  EXPECT_EQ(prompt_of(request, Family::anthropic), prompt_of(plain, Family::anthropic));
}

TEST(Prompt, PutsTheSystemTextBeforeTheToolsInBothFamilies) {
  auto messages = base_request();
  messages["system"] = "Be brief.";
  auto chat = base_request();
  chat["messages"].insert(chat["messages"].begin(), Json{{"role", "system"}, {"content", "Be brief."}});
  EXPECT_EQ(prompt_of(messages, Family::anthropic), prompt_of(chat, Family::openai));
}

}  // namespace
}  // namespace lmw::simulator
