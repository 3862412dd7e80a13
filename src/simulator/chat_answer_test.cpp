#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/sample_answer.hpp"

namespace lmw::simulator {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

TEST(ChatAnswer, StreamsWithoutUsageAsTheEngineDoes) {
  const auto reply = words(4);
  const auto answer = make_chat_answer(sample_head(), reply);
  EXPECT_EQ(event_shapes(token_by_token(*answer, 4)), event_shapes(recorded("sse-chat-no-usage.txt")));
}

TEST(ChatAnswer, StreamsTheUsageChunkAsTheEngineDoesWhenAsked) {
  const auto reply = words(4);
  auto head = sample_head();
  head.include_usage = true;
  const auto stream = token_by_token(*make_chat_answer(head, reply), 4);
  EXPECT_EQ(event_shapes(stream), event_shapes(recorded("sse-chat-usage.txt")));
  EXPECT_THAT(stream,
              HasSubstr(R"("usage":{"prompt_tokens":1134,"total_tokens":1138,"completion_tokens":4,)"
                        R"("prompt_tokens_details":{"cached_tokens":1024,"created_cache_tokens":0}})"));
}

TEST(ChatAnswer, StreamsUsageInEveryChunkAsTheEngineDoesWhenAsked) {
  const auto reply = words(4);
  auto head = sample_head();
  head.include_usage = head.continuous_usage_stats = true;
  const auto answer = make_chat_answer(head, reply);
  EXPECT_EQ(event_shapes(token_by_token(*answer, 4)),
            event_shapes(recorded("sse-chat-continuous-usage.txt")));
}

TEST(ChatAnswer, LeavesTheDetailsOutOfAStreamWithoutCounts) {
  const auto reply = words(4);
  auto head = sample_head();
  head.include_usage = true;
  head.cache_details = false;
  const auto stream = token_by_token(*make_chat_answer(head, reply), 4);
  EXPECT_THAT(stream, HasSubstr("\"usage\""));
  EXPECT_THAT(stream, testing::Not(HasSubstr("prompt_tokens_details")));
}

TEST(ChatAnswer, SaysNullForTheDetailsOfAWholeAnswerWithoutCounts) {
  const auto reply = words(4);
  auto head = sample_head();
  head.cache_details = false;
  const auto json = Json::parse(make_chat_answer(head, reply)->whole(sample_counts));
  EXPECT_TRUE(json.at("usage").at("prompt_tokens_details").is_null());
  EXPECT_EQ(json.at("choices").at(0).at("finish_reason"), "length");
  EXPECT_EQ(json.at("choices").at(0).at("message").at("content"), reply.parts[0].part.text);
}

TEST(ChatAnswer, SeveralTokensMayShareOneEvent) {
  const auto reply = words(4);
  const auto answer = make_chat_answer(sample_head(), reply);
  EXPECT_EQ(event_shapes(answer->events({3})).size(), 2u);  // the role, and three words
  EXPECT_EQ(answer->events({3}), "");
}

TEST(ChatAnswer, SendsAToolCallInOneDelta) {
  Random ids(1);
  const auto reply = scripted_reply(text_and_call, wire::Endpoint::chat_completions, ids);
  const auto stream = token_by_token(*make_chat_answer(sample_head(), reply), reply.size());
  EXPECT_THAT(
      stream,
      HasSubstr(R"("delta":{"tool_calls":[{"id":")" + reply.parts[1].id +
                R"(","type":"function","index":0,"function":{"name":"Bash",)"
                R"("arguments":"{\"command\":\"ls\"}"}}]},"logprobs":null,"finish_reason":"tool_calls")"));
}

TEST(ChatAnswer, IsWholeAsTheEnginesIs) {
  const auto reply = words(4);
  EXPECT_EQ(shape_of(make_chat_answer(sample_head(), reply)->whole(sample_counts)),
            shape_of(recorded("chat.json")));
}

}  // namespace
}  // namespace lmw::simulator
