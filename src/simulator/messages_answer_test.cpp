#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/sample_answer.hpp"

namespace lmw::simulator {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

TEST(MessagesAnswer, StreamsAsTheEngineDoes) {
  const auto reply = words(4);
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
  const auto reply = words(4);
  auto head = sample_head();
  head.cache_details = false;
  const auto json = Json::parse(make_messages_answer(head, reply)->whole(sample_counts));
  EXPECT_EQ(json.at("usage"), Json::parse(R"({"input_tokens":1134,"output_tokens":4})"));
  EXPECT_EQ(json.at("stop_reason"), "max_tokens");
}

TEST(MessagesAnswer, SendsAToolCallAsABlockOfItsOwn) {
  Random ids(1);
  const auto reply = scripted_reply(text_and_call, wire::Endpoint::messages, ids);
  const auto stream = token_by_token(*make_messages_answer(sample_head(), reply), reply.size());
  EXPECT_THAT(stream, HasSubstr(R"({"type":"tool_use","id":")" + reply.parts[1].id +
                                R"(","name":"Bash","input":{}},"index":1})"));
  EXPECT_THAT(stream,
              HasSubstr(R"({"type":"input_json_delta","partial_json":"{\"command\":\"ls\"}"},"index":1})"));
  EXPECT_THAT(stream, HasSubstr(R"("stop_reason":"tool_use")"));
}

TEST(MessagesAnswer, HasWholeToolInputsInAWholeAnswer) {
  Random ids(1);
  const auto reply = scripted_reply(text_and_call, wire::Endpoint::messages, ids);
  const auto json = Json::parse(make_messages_answer(sample_head(), reply)->whole(sample_counts));
  EXPECT_EQ(json.at("content").at(1).at("input"), Json::parse(R"({"command":"ls"})"));
}

TEST(MessagesAnswer, IsWholeAsTheEnginesIs) {
  const auto reply = words(4);
  EXPECT_EQ(shape_of(make_messages_answer(sample_head(), reply)->whole(sample_counts)),
            shape_of(recorded("message.json")));
}

}  // namespace
}  // namespace lmw::simulator
