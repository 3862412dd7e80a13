#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/loopback.hpp"

namespace lmw::simulator {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class CompletionsEndpoint : public Loopback {
 protected:
  Json usage(const Json& body) { return Json::parse(completions(body, rank("0")).body).at("usage"); }
};

TEST_F(CompletionsEndpoint, GoesOnFromAText) {
  start();
  const auto json = Json::parse(completions(prompt("Once upon a time")).body);
  EXPECT_THAT(json.at("id").get<std::string>(), StartsWith("cmpl-"));
  EXPECT_EQ(json.at("usage").at("completion_tokens"), 8);
  EXPECT_EQ(json.at("usage").at("prompt_tokens"), 4);
  EXPECT_EQ(json.at("choices").at(0).at("finish_reason"), "length");
}

TEST_F(CompletionsEndpoint, FindsAPromptInTheCacheThatBeginsWithAnOldOneAndItsText) {
  start();
  std::string text(400, 'x');
  const auto first = Json::parse(completions(prompt(text, 64), rank("0")).body);
  const int context = first.at("usage").at("total_tokens").get<int>();
  text += first.at("choices").at(0).at("text").get<std::string>() + " And then?";
  EXPECT_GE(usage(prompt(text)).at("prompt_tokens_details").at("cached_tokens"), (context - 1) / 16 * 16);
}

TEST_F(CompletionsEndpoint, TakesTokensInPlaceOfTheirText) {
  start();
  const std::string text(400, 'x');
  const auto tokens = Json::parse(ask("POST", "/tokenize", Json{{"prompt", text}}.dump()).body).at("tokens");
  const auto as_text = usage(prompt(text));
  const auto as_tokens = usage(prompt(tokens));
  EXPECT_EQ(as_tokens.at("prompt_tokens"), as_text.at("prompt_tokens"));
  EXPECT_GT(as_tokens.at("prompt_tokens_details").at("cached_tokens"), 0);
}

TEST_F(CompletionsEndpoint, AnswersEachPromptOfAListByAChoice) {
  start();
  const auto list = Json::array({"one two", "three four five"});
  const auto json = Json::parse(completions(prompt(list)).body);
  ASSERT_EQ(json.at("choices").size(), 2u);
  EXPECT_EQ(json.at("choices").at(1).at("index"), 1);
  EXPECT_EQ(json.at("usage").at("prompt_tokens"), 5);
  EXPECT_EQ(json.at("usage").at("completion_tokens"), 16);
  EXPECT_EQ(json.at("choices").at(0).at("text"),
            Json::parse(completions(prompt("one two")).body).at("choices").at(0).at("text"));
  EXPECT_EQ(Json::parse(completions(prompt(Json::array({{1, 2}, {3}}))).body).at("usage").at("prompt_tokens"),
            3);
}

TEST_F(CompletionsEndpoint, StreamsEachPromptOfAListByAChoice) {
  start();
  auto body = prompt(Json::array({"one two", "three four five"}));
  const auto whole = Json::parse(completions(body).body);
  body["stream"] = true;
  const auto answer = completions(body);
  EXPECT_TRUE(answer.complete);
  EXPECT_THAT(answer.body, EndsWith("\n\ndata: [DONE]\n\n"));
  std::vector<std::string> texts(2);
  int ends = 0;
  for (auto at = answer.body.find("data: {"); at != std::string::npos;
       at = answer.body.find("data: {", at + 1)) {
    const auto choice =
        Json::parse(answer.body.substr(at + 6, answer.body.find('\n', at) - at - 6)).at("choices").at(0);
    texts[choice.at("index")] += choice.at("text").get<std::string>();
    ends += choice.at("finish_reason") == "length" ? 1 : 0;
  }
  EXPECT_EQ(ends, 2);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(texts[i], whole.at("choices").at(i).at("text").get<std::string>());
}

TEST_F(CompletionsEndpoint, FreesThePlacesOfAllPromptsWhenItsClientLeaves) {
  start();
  simulator_->set_faults({.hung = {0}});
  bool ended = false;
  net::asio::cancellation_signal leave;
  net::asio::co_spawn(
      context_,
      exchange("POST", "/v1/completions", prompt(Json::array({"one", "two", "three"})).dump(), rank("0")),
      net::asio::bind_cancellation_slot(leave.slot(), [&](std::exception_ptr, Answered) { ended = true; }));
  context_.restart();
  const auto held = [&] { return simulator_->stats(0).running + simulator_->stats(0).waiting; };
  while (held() < 3) context_.run_one();
  leave.emit(net::asio::cancellation_type::terminal);
  while (!ended || held() != 0) context_.run_one();
}

TEST_F(CompletionsEndpoint, AnswersSixteenTokensUnlessAskedForMore) {
  start();
  auto body = prompt("Once");
  body.erase("max_tokens");
  EXPECT_EQ(usage(body).at("completion_tokens"), 16);
}

TEST_F(CompletionsEndpoint, HasTheTextsOfAScriptAndNoCalls) {
  auto options = small_engine();
  options.script = Script::parse(R"({"rules":[{"when":{"last_user_contains":"Once"},"reply":[{"text":"upon"},
    {"tool_use":{"name":"Bash","input":{}}},{"text":" a time"}]}]})")
                       .value();
  start(options);
  const auto choice = Json::parse(completions(prompt("Once")).body).at("choices").at(0);
  EXPECT_EQ(choice.at("text"), "upon a time");
  EXPECT_EQ(choice.at("finish_reason"), "stop");
}

TEST_F(CompletionsEndpoint, HeedsTheRank) {
  start();
  for (int i = 0; i < 3; ++i) completions(prompt(Json::array({"a", "b"})), rank("1"));
  EXPECT_EQ(metric(R"(vllm:request_success_total{engine="1",finished_reason="length",model_name="tiny"})"),
            "6.0");
  EXPECT_EQ(completions(prompt("a"), rank("9")).status, 400);
}

TEST_F(CompletionsEndpoint, TakesTheRequestIdIntoItsOwn) {
  start();
  wire::Headers headers;
  headers.add("X-Request-Id", "my-req-1");
  EXPECT_EQ(Json::parse(completions(prompt("a"), headers).body).at("id"), "cmpl-my-req-1");
}

TEST_F(CompletionsEndpoint, RefusesWhatTheEngineRefuses) {
  start();
  const auto error = [this](const Json& body) { return Json::parse(completions(body).body).at("error"); };
  for (const auto& nothing : {Json(""), Json()}) {
    EXPECT_EQ(error(prompt(nothing)).at("message"),
              "Either prompt or prompt_embeds must be provided and non-empty. (parameter=prompt)");
    EXPECT_EQ(error(prompt(nothing)).at("param"), "prompt");
  }
  EXPECT_EQ(error(prompt(Json::array())).at("message"), "You must pass at least one prompt");
  EXPECT_EQ(error(prompt(5)).at("param"), "body.prompt");
  EXPECT_EQ(error(prompt(Json::array({-1}))).at("param"), "body.prompt.0");
  EXPECT_EQ(error(prompt(Json::array({"a", 5}))).at("param"), "body.prompt.1");
  EXPECT_EQ(error(prompt(Json::array({99999999999}))).at("message"),
            "Token id 99999999999 is out of vocabulary");
  EXPECT_EQ(error(prompt("a", 0)).at("message"),
            "max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)");
}

TEST_F(CompletionsEndpoint, HasRoomForAPromptThatLeavesOneToken) {
  start();
  const std::vector<int> most(8191, 7);
  EXPECT_EQ(usage(prompt(most)).at("completion_tokens"), 1);
  const auto message = [this](int tokens) {
    return Json::parse(completions(prompt(std::vector<int>(tokens, 7))).body).at("error").at("message");
  };
  EXPECT_EQ(message(8192), "max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)");
  EXPECT_EQ(
      message(8193),
      "This model's maximum context length is 8192 tokens. However, your prompt contains at least 8193 input "
      "tokens, which exceeds this limit even without any output tokens. Please reduce the length of the "
      "input "
      "prompt. (parameter=input_tokens, value=8193)");
}

}  // namespace
}  // namespace lmw::simulator
