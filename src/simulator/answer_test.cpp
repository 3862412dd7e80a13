#include "simulator/answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/recorded.hpp"
#include "simulator/sample_shape.hpp"

namespace lmw::simulator {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

Reply four_words() {
  Random random(1);
  return random_reply({4, Finish::length}, random);
}

AnswerHead sample_head() {
  AnswerHead head{"chatcmpl-1", "tiny", 1795975949, "vllm-0.32.0-dp2-053949fb", 1134};
  return head;
}

constexpr CacheCounts sample_counts{1024, 0};

std::string token_by_token(Answer& answer, int tokens) {
  std::string stream;
  for (int i = 1; i < tokens; ++i) stream += answer.events(i);
  return stream + answer.finish(sample_counts);
}

TEST(ChatAnswer, StreamsWithoutUsageAsTheEngineDoes) {
  const auto reply = four_words();
  const auto answer = make_chat_answer(sample_head(), reply);
  EXPECT_EQ(event_shapes(token_by_token(*answer, 4)), event_shapes(recorded("sse-chat-no-usage.txt")));
}

TEST(ChatAnswer, StreamsTheUsageChunkAsTheEngineDoesWhenAsked) {
  const auto reply = four_words();
  auto head = sample_head();
  head.include_usage = true;
  const auto stream = token_by_token(*make_chat_answer(head, reply), 4);
  EXPECT_EQ(event_shapes(stream), event_shapes(recorded("sse-chat-usage.txt")));
  EXPECT_THAT(stream,
              HasSubstr(R"("usage":{"prompt_tokens":1134,"total_tokens":1138,"completion_tokens":4,)"
                        R"("prompt_tokens_details":{"cached_tokens":1024,"created_cache_tokens":0}})"));
}

TEST(ChatAnswer, StreamsUsageInEveryChunkAsTheEngineDoesWhenAsked) {
  const auto reply = four_words();
  auto head = sample_head();
  head.include_usage = head.continuous_usage_stats = true;
  const auto answer = make_chat_answer(head, reply);
  EXPECT_EQ(event_shapes(token_by_token(*answer, 4)),
            event_shapes(recorded("sse-chat-continuous-usage.txt")));
}

TEST(ChatAnswer, LeavesTheDetailsOutOfAStreamWithoutCounts) {
  const auto reply = four_words();
  auto head = sample_head();
  head.include_usage = true;
  const auto stream = make_chat_answer(head, reply)->finish(std::nullopt);
  EXPECT_THAT(stream, HasSubstr("\"usage\""));
  EXPECT_THAT(stream, testing::Not(HasSubstr("prompt_tokens_details")));
}

TEST(ChatAnswer, SaysNullForTheDetailsOfAWholeAnswerWithoutCounts) {
  const auto reply = four_words();
  const auto json = Json::parse(make_chat_answer(sample_head(), reply)->whole(std::nullopt));
  EXPECT_TRUE(json.at("usage").at("prompt_tokens_details").is_null());
  EXPECT_EQ(json.at("choices").at(0).at("finish_reason"), "length");
  EXPECT_EQ(json.at("choices").at(0).at("message").at("content"), reply.parts[0].part.text);
}

TEST(ChatAnswer, SeveralTokensMayShareOneEvent) {
  const auto reply = four_words();
  const auto answer = make_chat_answer(sample_head(), reply);
  EXPECT_EQ(event_shapes(answer->events(3)).size(), 2u);  // the role, and three words
  EXPECT_EQ(answer->events(3), "");
}

const std::vector<Part> text_and_call{{Part::Kind::text, "I will look.", ""},
                                      {Part::Kind::tool_call, R"({"command":"ls"})", "Bash"}};

TEST(ChatAnswer, SendsAToolCallInOneDelta) {
  Random ids(1);
  const auto reply = scripted_reply(text_and_call, wire::Family::openai, ids);
  const auto stream = make_chat_answer(sample_head(), reply)->finish(sample_counts);
  EXPECT_THAT(
      stream,
      HasSubstr(R"("delta":{"tool_calls":[{"id":")" + reply.parts[1].id +
                R"(","type":"function","index":0,"function":{"name":"Bash",)"
                R"("arguments":"{\"command\":\"ls\"}"}}]},"logprobs":null,"finish_reason":"tool_calls")"));
}

TEST(MessagesAnswer, StreamsAsTheEngineDoes) {
  const auto reply = four_words();
  auto head = sample_head();
  head.prompt_tokens = 1135;
  const auto stream = token_by_token(*make_messages_answer(head, reply), 4);
  EXPECT_EQ(event_shapes(stream), event_shapes(recorded("sse-messages.txt")));
  // The opening event has the total, the closing one Anthropic's split.
  EXPECT_THAT(stream, HasSubstr(R"("usage":{"input_tokens":1135,"output_tokens":0})"));
  EXPECT_THAT(stream,
              HasSubstr(R"("usage":{"input_tokens":111,"output_tokens":4,"cache_creation_input_tokens":0,)"
                        R"("cache_read_input_tokens":1024})"));
}

TEST(MessagesAnswer, CountsEverythingAsInputWithoutCounts) {
  const auto reply = four_words();
  const auto json = Json::parse(make_messages_answer(sample_head(), reply)->whole(std::nullopt));
  EXPECT_EQ(json.at("usage"), Json::parse(R"({"input_tokens":1134,"output_tokens":4})"));
  EXPECT_EQ(json.at("stop_reason"), "max_tokens");
}

TEST(MessagesAnswer, SendsAToolCallAsABlockOfItsOwn) {
  Random ids(1);
  const auto reply = scripted_reply(text_and_call, wire::Family::anthropic, ids);
  const auto stream = make_messages_answer(sample_head(), reply)->finish(sample_counts);
  EXPECT_THAT(stream, HasSubstr(R"({"type":"tool_use","id":")" + reply.parts[1].id +
                                R"(","name":"Bash","input":{}},"index":1})"));
  EXPECT_THAT(stream,
              HasSubstr(R"({"type":"input_json_delta","partial_json":"{\"command\":\"ls\"}"},"index":1})"));
  EXPECT_THAT(stream, HasSubstr(R"("stop_reason":"tool_use")"));
}

TEST(MessagesAnswer, HasWholeToolInputsInAWholeAnswer) {
  Random ids(1);
  const auto reply = scripted_reply(text_and_call, wire::Family::anthropic, ids);
  const auto json = Json::parse(make_messages_answer(sample_head(), reply)->whole(sample_counts));
  EXPECT_EQ(json.at("content").at(1).at("input"), Json::parse(R"({"command":"ls"})"));
}

}  // namespace
}  // namespace lmw::simulator
