#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/loopback.hpp"

namespace lmw::simulator {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ResponsesEndpoint : public Loopback {
 protected:
  static Json streamed_input() {
    auto json = input();
    json["stream"] = true;
    return json;
  }
  static SimulatorOptions version(const std::string& version) {
    auto options = small_engine();
    options.engine_version = version;
    return options;
  }
};

TEST_F(ResponsesEndpoint, FindsTheConversationInTheCacheWhenItComesBack) {
  auto options = small_engine();
  options.replicas = 1;
  start(options);
  auto body = input(64);
  const auto first = Json::parse(responses(body).body);
  EXPECT_THAT(first.at("id").get<std::string>(), StartsWith("resp_"));
  EXPECT_EQ(first.at("usage").at("input_tokens_details").at("cached_tokens"), 0);
  for (const auto& item : first.at("output")) body["input"].push_back(item);
  body["input"].push_back({{"role", "user"}, {"content", "next"}});
  const int context = first.at("usage").at("total_tokens").get<int>();
  const auto next = Json::parse(responses(body).body);
  EXPECT_GE(next.at("usage").at("input_tokens_details").at("cached_tokens"), (context - 1) / 16 * 16);
}

TEST_F(ResponsesEndpoint, StreamsNamedEventsUntilCompleted) {
  start();
  const auto answer = responses(streamed_input());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.type, "text/event-stream; charset=utf-8");
  EXPECT_TRUE(answer.complete);
  EXPECT_THAT(answer.body, StartsWith("event: response.created\ndata: {\"response\":{\"id\":\"resp_"));
  const auto last = answer.body.substr(answer.body.rfind("event: "));
  EXPECT_THAT(last, StartsWith("event: response.completed\n"));
  EXPECT_THAT(last, HasSubstr(R"("cached_tokens":0)"));
}

TEST_F(ResponsesEndpoint, ReportsCachedTokensEvenWhenTheDetailsAreOff) {
  auto options = small_engine();
  options.prompt_tokens_details = false;
  start(options);
  EXPECT_THAT(responses(input()).body, HasSubstr(R"("input_tokens_details":{"cached_tokens":0)"));
}

TEST_F(ResponsesEndpoint, BeginsItsStreamBeforeThePrefill) {
  start();
  simulator_->set_faults({.hung = {0, 1}});
  std::optional<std::string> begun;
  net::asio::co_spawn(
      context_,
      [](std::string url, std::string body) -> net::awaitable<std::string> {
        auto connection = co_await net::ClientConnection::connect(*parse_origin(url), patience);
        wire::RequestHead head{"POST", "/v1/responses", 1, {}};
        head.headers.add("Host", "sim");
        head.headers.add("Content-Type", "application/json");
        head.headers.add("Content-Length", std::to_string(body.size()));
        const std::string_view piece = body;
        co_await (*connection)->send(head, {&piece, 1}, patience);
        co_await (*connection)->read_head(patience);
        std::string read;
        co_await (*connection)->read_body(read, patience);
        co_return read;
      }(simulator_->url(), streamed_input().dump()),
      [&](std::exception_ptr, std::string read) { begun = std::move(read); });
  context_.restart();
  while (!begun) context_.run_one();
  EXPECT_THAT(*begun, HasSubstr("event: response.in_progress\n"));
}

TEST_F(ResponsesEndpoint, FollowsTheScriptWithFunctionCalls) {
  auto options = small_engine();
  options.script = Script::parse(R"({"rules":[
    {"when":{"first_user_contains":"list","is_tool_result":true},"reply":[{"text":"Done."}]},
    {"when":{"has_tool":"multi__spawn"},"reply":[{"tool_use":{"name":"multi__spawn","input":{"task":"ls"}}}]}]})")
                       .value();
  start(options);
  Json body{{"input",
             Json::array({{{"role", "user"}, {"content", "<environment_context>bash</environment_context>"}},
                          {{"role", "user"}, {"content", "please list"}}})},
            {"tools", Json::parse(R"([{"type":"namespace","name":"multi",
                "tools":[{"type":"function","name":"spawn"}]}])")}};
  const auto call = Json::parse(responses(body).body).at("output").at(0);
  EXPECT_EQ(call.at("type"), "function_call");
  EXPECT_EQ(call.at("name"), "spawn");
  EXPECT_EQ(call.at("namespace"), "multi");
  EXPECT_EQ(call.at("arguments"), R"({"task":"ls"})");
  body["input"].push_back(call);
  body["input"].push_back(
      {{"type", "function_call_output"}, {"call_id", call.at("call_id")}, {"output", "a.txt"}});
  const auto done = Json::parse(responses(body).body);
  EXPECT_EQ(done.at("output").at(0).at("content").at(0).at("text"), "Done.");
  EXPECT_EQ(done.at("status"), "completed");
}

TEST_F(ResponsesEndpoint, HasAnIdOfItsOwnUnlessTheBodyNamesOne) {
  start();
  wire::Headers headers;
  headers.add("X-Request-Id", "my-req-1");
  auto body = input();
  EXPECT_THAT(Json::parse(responses(body, headers).body).at("id").get<std::string>(), StartsWith("resp_"));
  body["request_id"] = "resp_mine";
  EXPECT_EQ(Json::parse(responses(body).body).at("id"), "resp_mine");
}

TEST_F(ResponsesEndpoint, SaysHowMuchItMayAnswer) {
  start();
  auto body = input(4);
  EXPECT_EQ(Json::parse(responses(body).body).at("max_output_tokens"), 4);
  body.erase("max_output_tokens");
  const auto free = Json::parse(responses(body).body);
  EXPECT_EQ(free.at("max_output_tokens").get<int>() + free.at("usage").at("input_tokens").get<int>(), 8192);
}

TEST_F(ResponsesEndpoint, IgnoresTheRankBeforeVersion033) {
  start(version("0.32.0"));
  for (const auto* value : {"1", "9"}) {
    EXPECT_EQ(responses(input(), rank(value)).status, 200);
    EXPECT_THAT(responses(streamed_input(), rank(value)).body, HasSubstr("response.completed"));
  }
  // Four turns that the balancer spread: both replicas have some.
  for (const auto* engine : {"0", "1"}) {
    const auto sample = fmt::format(
        R"(vllm:request_success_total{{engine="{}",finished_reason="length",model_name="tiny"}})", engine);
    EXPECT_EQ(metric(sample), "2.0");
  }
}

TEST_F(ResponsesEndpoint, HeedsTheRankFromVersion033) {
  start(version("0.33.0"));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(responses(input(), rank("1")).status, 200);
  EXPECT_EQ(metric(R"(vllm:request_success_total{engine="1",finished_reason="length",model_name="tiny"})"),
            "4.0");
  EXPECT_EQ(responses(input(), rank("9")).status, 400);
}

TEST_F(ResponsesEndpoint, RefusesWhatTheEngineRefuses) {
  start();
  const auto error = [](const Answered& answer) { return Json::parse(answer.body).at("error"); };
  EXPECT_EQ(error(ask("POST", "/v1/responses", "{nope")).at("type"), "Bad Request");
  EXPECT_EQ(error(responses({{"model", "tiny"}})).at("param"), "body.input");
  EXPECT_EQ(error(responses({{"input", Json::array()}})).at("message"),
            "Cannot apply chat template to an empty conversation. Provide at least one message.");

  auto body = input();
  body["previous_response_id"] = "resp_x";
  EXPECT_EQ(error(responses(body)), Json::parse(R"({"message":"Response with id 'resp_x' not found.",
    "type":"invalid_request_error","param":"response_id","code":404})"));
  body = input(99999);
  EXPECT_EQ(error(responses(body)).at("message"),
            "max_output_tokens=99999 cannot be greater than max_model_len=8192. Please request fewer output "
            "tokens. "
            "(parameter=max_output_tokens, value=99999)");
  body["model"] = "other";
  EXPECT_EQ(responses(body).status, 404);
}

}  // namespace
}  // namespace lmw::simulator
