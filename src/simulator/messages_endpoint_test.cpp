#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/loopback.hpp"

namespace lmw::simulator {
namespace {

using testing::EndsWith;
using testing::StartsWith;

class MessagesEndpoint : public Loopback {};

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
          R"({"type":"error","error":{"type":"NotFoundError","message":"The model `other` does not exist. Valid aliases: tiny."}})"));
  const auto missing = messages({{"model", "tiny"}, {"messages", Json::array()}});
  EXPECT_EQ(missing.status, 400);
  EXPECT_EQ(Json::parse(missing.body).at("error").at("param"), "body.max_tokens");
  EXPECT_EQ(Json::parse(messages(request(0)).body).at("error").at("param"), "body.max_tokens");
  EXPECT_EQ(Json::parse(messages(request(8193)).body).at("error").at("message"),
            "max_completion_tokens=8193 cannot be greater than max_model_len=8192. Please request fewer "
            "output tokens. "
            "(parameter=max_completion_tokens, value=8193)");
}

}  // namespace
}  // namespace lmw::simulator
