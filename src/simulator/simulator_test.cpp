#include "simulator/simulator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/loopback.hpp"

namespace lmw::simulator {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class ChatEndpoint : public Loopback {};
class MessagesEndpoint : public Loopback {};
class RankHeader : public Loopback {};
class Lookups : public Loopback {};
class Engine : public Loopback {};

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
            Json::parse(R"({"message":"The model `other` does not exist.","type":"NotFoundError",
    "param":"model","code":404})"));

  const auto too_long = chat(request(8192));
  EXPECT_EQ(too_long.status, 400);
  EXPECT_EQ(error(too_long).at("param"), "input_tokens");

  wire::Headers plain;
  plain.add("Content-Type", "text/plain");
  EXPECT_EQ(chat(request(), plain).status, 400);
}

TEST_F(MessagesEndpoint, SplitsItsUsageAsAnthropicDoes) {
  start();
  messages(request(), rank("0"));
  const auto usage = Json::parse(messages(request(), rank("0")).body).at("usage");
  const int cached = usage.at("cache_read_input_tokens").get<int>();
  EXPECT_GT(cached, 0);
  const auto total = Json::parse(ask("POST", "/v1/messages/count_tokens", request().dump()).body);
  EXPECT_EQ(usage.at("input_tokens").get<int>() + cached + usage.at("cache_creation_input_tokens").get<int>(),
            total.at("input_tokens"));
  EXPECT_EQ(total.at("context_management").at("original_input_tokens"), total.at("input_tokens"));
}

TEST_F(MessagesEndpoint, StreamsNamedEventsWithoutDone) {
  start();
  const auto answer = messages(streamed());
  EXPECT_TRUE(answer.complete);
  EXPECT_THAT(answer.body, StartsWith("event: message_start\n"));
  EXPECT_THAT(answer.body, EndsWith("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"));
}

TEST_F(MessagesEndpoint, HasAnthropicErrorsExceptForTheBodysValidation) {
  start();
  auto other = request();
  other["model"] = "other";
  EXPECT_EQ(
      Json::parse(messages(other).body),
      Json::parse(
          R"({"type":"error","error":{"type":"NotFoundError","message":"The model `other` does not exist."}})"));
  const auto missing = messages({{"model", "tiny"}, {"messages", Json::array()}});
  EXPECT_EQ(missing.status, 400);
  EXPECT_EQ(Json::parse(missing.body).at("error").at("param"), "body.max_tokens");
}

TEST_F(RankHeader, ChoosesTheReplica) {
  start();
  for (const auto* value : {"1", "01", "+1", " 1 "}) EXPECT_EQ(chat(request(), rank(value)).status, 200);
  EXPECT_EQ(messages(request(), rank("1")).status, 200);
  EXPECT_EQ(metric(R"(vllm:request_success_total{engine="1",finished_reason="length",model_name="tiny"})"),
            "5.0");
  EXPECT_EQ(metric(R"(vllm:request_success_total{engine="0",finished_reason="length",model_name="tiny"})"),
            "0.0");
}

TEST_F(RankHeader, IsIgnoredWhenItIsNoInteger) {
  start();
  for (const auto* value : {"abc", "1.0", ""}) EXPECT_EQ(chat(request(), rank(value)).status, 200) << value;
}

TEST_F(RankHeader, OutOfRangeIsAnErrorOfTheAnswer) {
  start();
  const auto openai = chat(request(), rank("9"));
  EXPECT_EQ(openai.status, 400);
  EXPECT_EQ(openai.body, R"({"error":{"message":"data_parallel_rank 9 is out of range [0, 2).",)"
                         R"("type":"BadRequestError","param":null,"code":400}})");
  const auto anthropic = messages(request(), rank("-1"));
  EXPECT_EQ(anthropic.status, 400);
  EXPECT_EQ(anthropic.body, R"({"type":"error","error":{"type":"BadRequestError",)"
                            R"("message":"data_parallel_rank -1 is out of range [0, 2)."}})");
}

TEST_F(RankHeader, OutOfRangeIsAnErrorInsideAStream) {
  start();
  const auto openai = chat(streamed(), rank("7"));
  EXPECT_EQ(openai.status, 200);
  EXPECT_TRUE(openai.complete);
  EXPECT_THAT(openai.body,
              StartsWith(R"(data: {"error":{"message":"data_parallel_rank 7 is out of range [0, 2).")"));
  EXPECT_THAT(openai.body, EndsWith("data: [DONE]\n\n"));
  const auto anthropic = messages(streamed(), rank("7"));
  EXPECT_EQ(anthropic.status, 200);
  EXPECT_THAT(anthropic.body,
              StartsWith("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"internal_error\","
                         "\"message\":\"2 validation errors for ChatCompletionStreamResponse"));
}

TEST_F(Lookups, AnswerAsTheEngine) {
  start();
  EXPECT_EQ(Json::parse(ask("GET", "/v1/models").body).at("data").at(0).at("max_model_len"), 8192);
  EXPECT_EQ(ask("GET", "/version").body, R"({"version":"0.32.0"})");
  EXPECT_EQ(ask("GET", "/load").body, R"({"server_load":0})");
  EXPECT_EQ(ask("GET", "/health").status, 200);
  EXPECT_EQ(ask("GET", "/health").body, "");
  EXPECT_EQ(ask("POST", "/ping").status, 200);
  const auto tokens =
      Json::parse(ask("POST", "/tokenize", R"({"model":"tiny","prompt":"hello world"})").body);
  EXPECT_EQ(tokens.at("count"), tokens.at("tokens").size());
}

TEST_F(Lookups, AnswerHeadWithoutABody) {
  start();
  for (const auto* path : {"/v1/models", "/version", "/health", "/metrics"})
    EXPECT_EQ(ask("HEAD", path).status, 200);
}

TEST_F(Lookups, RefuseUnknownPathsAndMethods) {
  start();
  const auto unknown = ask("GET", "/nope");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.body, R"({"detail":"Not Found"})");
  const auto method = ask("GET", "/v1/chat/completions");
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(method.body, R"({"detail":"Method Not Allowed"})");
  EXPECT_EQ(ask("POST", "/v1/chat/completions?x=1", request().dump()).status, 200);
}

TEST_F(Engine, DropsARequestWhoseClientLeaves) {
  start();
  simulator_->set_faults({.hung = {0}});
  for (const bool stream : {true, false}) {
    bool ended = false;
    // A client that is cancelled closes its connection.
    net::asio::cancellation_signal leave;
    net::asio::co_spawn(
        context_,
        exchange("POST", "/v1/chat/completions", (stream ? streamed() : request()).dump(), rank("0")),
        net::asio::bind_cancellation_slot(leave.slot(), [&](std::exception_ptr, Answered) { ended = true; }));
    context_.restart();
    const auto held = [&] {
      const auto stats = simulator_->stats(0);
      return stats.running + stats.waiting;
    };
    while (held() == 0) context_.run_one();
    leave.emit(net::asio::cancellation_type::terminal);
    while (!ended || held() != 0) context_.run_one();
  }
}

TEST_F(Engine, SendsNothingFasterThanTheNetworkCarriesIt) {
  auto options = small_engine();
  options.profile.network = std::chrono::seconds(3);
  start(options);
  for (const auto& body : {request(), streamed()}) {
    const auto before = clock_.now();
    EXPECT_EQ(chat(body).status, 200);
    EXPECT_GE(clock_.now() - before, std::chrono::seconds(6));
  }
  // The engine's own clock of the first token runs only inside of it.
  const auto sum = metric(R"(vllm:time_to_first_token_seconds_sum{engine="0",model_name="tiny"})");
  EXPECT_LT(std::stod(sum), 6);
}

TEST_F(Engine, LetsTheContextRunOutOfWorkWithATurnInFlight) {
  start();
  simulator_->set_faults({.hung = {0, 1}});
  std::optional<Answered> answered;
  net::asio::co_spawn(context_, exchange("POST", "/v1/chat/completions", streamed().dump(), {}),
                      [&](std::exception_ptr, Answered answer) { answered = std::move(answer); });
  context_.restart();
  while (simulator_->stats(0).waiting + simulator_->stats(1).waiting + simulator_->stats(0).running +
             simulator_->stats(1).running ==
         0) {
    context_.run_one();
  }
  simulator_->stop();
  context_.run();
  ASSERT_TRUE(answered);
  EXPECT_FALSE(answered->complete);
}

TEST_F(Engine, RefusesToStartWithWhatCanNotBe) {
  auto options = small_engine();
  options.profile.max_model_len = 40000;
  EXPECT_FALSE(Simulator::start(context_, options, clock_));
  options = small_engine();
  options.listen = "no port";
  EXPECT_FALSE(Simulator::start(context_, options, clock_));
}

}  // namespace
}  // namespace lmw::simulator
