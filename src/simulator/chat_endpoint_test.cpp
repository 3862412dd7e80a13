#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/loopback.hpp"

namespace lmw::simulator {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class ChatEndpoint : public Loopback {};

TEST_F(ChatEndpoint, AnswersWithTheTokensAskedFor) {
  start();
  auto body = request(300);
  body["ignore_eos"] = true;
  const auto answer = chat(body);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.type, "application/json");
  const auto json = Json::parse(answer.body);
  EXPECT_EQ(json.at("usage").at("completion_tokens"), 300);
  EXPECT_EQ(json.at("choices").at(0).at("finish_reason"), "length");
  EXPECT_THAT(json.at("id").get<std::string>(), StartsWith("chatcmpl-"));
  EXPECT_THAT(json.at("system_fingerprint").get<std::string>(), StartsWith("vllm-0.32.0-dp2-"));
}

TEST_F(ChatEndpoint, FindsTheConversationInTheCacheWhenItComesBack) {
  start();
  auto body = request(64);
  const auto first = Json::parse(chat(body, rank("1")).body);
  EXPECT_EQ(first.at("usage").at("prompt_tokens_details").at("cached_tokens"), 0);
  body["messages"].push_back(first.at("choices").at(0).at("message"));
  body["messages"].push_back({{"role", "user"}, {"content", "next"}});
  const int context = first.at("usage").at("total_tokens").get<int>();
  const auto next = Json::parse(chat(body, rank("1")).body);
  // The last token of a reply is never computed, so the block that it would fill is not there.
  EXPECT_GE(next.at("usage").at("prompt_tokens_details").at("cached_tokens"), (context - 1) / 16 * 16);
  // The other replica has none of it.
  const auto elsewhere = Json::parse(chat(body, rank("0")).body);
  EXPECT_EQ(elsewhere.at("usage").at("prompt_tokens_details").at("cached_tokens"), 0);
}

TEST_F(ChatEndpoint, GivesEqualPromptsEqualReplies) {
  start();
  const auto text = [](const Answered& answer) {
    return Json::parse(answer.body).at("choices").at(0).at("message");
  };
  EXPECT_EQ(text(chat(request())), text(chat(request())));
}

TEST_F(ChatEndpoint, StreamsUntilDone) {
  start();
  auto body = streamed();
  body["stream_options"] = {{"include_usage", true}};
  const auto answer = chat(body);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.type, "text/event-stream; charset=utf-8");
  EXPECT_TRUE(answer.complete);
  EXPECT_THAT(answer.body, HasSubstr(R"("choices":[],"usage":{)"));
  EXPECT_THAT(answer.body, HasSubstr(R"("cached_tokens":0)"));
  EXPECT_THAT(answer.body, EndsWith("\n\ndata: [DONE]\n\n"));
}

TEST_F(ChatEndpoint, HasNoCacheCountsWhenTheDetailsAreOff) {
  auto options = small_engine();
  options.prompt_tokens_details = false;
  start(options);
  const auto json = Json::parse(chat(request()).body);
  EXPECT_TRUE(json.at("usage").at("prompt_tokens_details").is_null());
}

TEST_F(ChatEndpoint, TakesTheRequestIdIntoItsOwn) {
  start();
  wire::Headers headers;
  headers.add("X-Request-Id", "my-req-1");
  EXPECT_EQ(Json::parse(chat(request(), headers).body).at("id"), "chatcmpl-my-req-1");
}

TEST_F(ChatEndpoint, TakesNoRequestIdThatIsNoText) {
  start();
  wire::Headers headers;
  headers.add("X-Request-Id", "caf\xe9");
  for (const auto& answer : {chat(request(), headers), messages(streamed(), headers)}) {
    EXPECT_EQ(answer.status, 200);
    EXPECT_TRUE(answer.complete);
  }
}

TEST_F(ChatEndpoint, FollowsTheScript) {
  auto options = small_engine();
  options.script = Script::parse(R"({"rules":[{"when":{"has_tool":"Bash"},"reply":[{"text":"I will."},
    {"tool_use":{"name":"Bash","input":{"command":"ls"}}}]}]})")
                       .value();
  start(options);
  auto body = request();
  body["tools"] = Json::parse(R"([{"type":"function","function":{"name":"Bash"}}])");
  const auto choice = Json::parse(chat(body).body).at("choices").at(0);
  EXPECT_EQ(choice.at("finish_reason"), "tool_calls");
  EXPECT_EQ(choice.at("message").at("content"), "I will.");
  EXPECT_EQ(choice.at("message").at("tool_calls").at(0).at("function").at("arguments"),
            R"({"command":"ls"})");
}

TEST_F(ChatEndpoint, GrantsAsManyTokensAsTheContextHasRoomFor) {
  start();
  auto body = request(8192);
  body["ignore_eos"] = true;
  const auto usage = Json::parse(chat(body).body).at("usage");
  EXPECT_EQ(usage.at("total_tokens"), 8192);
}

TEST_F(ChatEndpoint, RefusesWhatTheEngineRefuses) {
  start();
  const auto error = [](const Answered& answer) { return Json::parse(answer.body).at("error"); };
  const auto malformed = ask("POST", "/v1/chat/completions", "{nope");
  EXPECT_EQ(malformed.status, 400);
  EXPECT_EQ(error(malformed).at("type"), "Bad Request");
  EXPECT_THAT(error(malformed).at("message").get<std::string>(), StartsWith("1 validation error:\n  {"));
  EXPECT_EQ(error(chat({{"model", "tiny"}})).at("param"), "body.messages");

  auto other = request();
  other["model"] = "other";
  EXPECT_EQ(chat(other).status, 404);
  EXPECT_EQ(error(chat(other)),
            Json::parse(
                R"({"message":"The model `other` does not exist. Valid aliases: tiny.","type":"NotFoundError",
    "param":"model","code":404})"));

  EXPECT_EQ(error(chat(request(8193))).at("message"),
            "max_tokens=8193 cannot be greater than max_model_len=8192. Please request fewer output tokens. "
            "(parameter=max_tokens, value=8193)");

  wire::Headers plain;
  plain.add("Content-Type", "text/plain");
  EXPECT_EQ(chat(request(), plain).status, 400);
}

}  // namespace
}  // namespace lmw::simulator
