#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/responses_input.hpp"
#include "simulator/sample_answer.hpp"

namespace lmw::simulator {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

AnswerHead response_head(const Body& request = Body::object()) {
  auto head = sample_head();
  head.id = "resp_1";
  head.max_output_tokens = 16;
  head.repeated = repeated_members(request);
  return head;
}

std::unique_ptr<Answer> answer_of(const Reply& reply, const Body& request = Body::object()) {
  Random ids(1);
  return make_responses_answer(response_head(request), reply, ids);
}

Reply call_of(const std::string& name) {
  Random ids(1);
  return scripted_reply({{Part::Kind::tool_call, "true", name}}, wire::Endpoint::responses, ids);
}

// What the recorded calls were asked with.
Body spawning() {
  return Body::parse(R"({"tool_choice":{"name":"multi__spawn","type":"function"},
    "tools":[{"type":"namespace","name":"multi","tools":[{"type":"function","name":"spawn"}]}]})");
}

// The engine repeats tools in its own form, with members that are null.
std::string without_tools(std::string text) {
  for (auto at = text.find(R"("tools":[{)"); at != std::string::npos; at = text.find(R"("tools":[{)", at)) {
    const auto end = text.find(R"(],"top_p")", at);
    text.replace(at, end + 1 - at, R"("tools":[])");
  }
  return text;
}

TEST(ResponsesAnswer, StreamsTextAsTheEngineDoes) {
  // Recorded: 16 tokens in five deltas.
  const auto reply = words(16);
  const auto answer = answer_of(reply);
  auto stream = answer->begin();
  for (const int generated : {1, 13, 14, 15, 16}) stream += answer->events({generated});
  stream += answer->end(sample_counts);
  EXPECT_EQ(event_shapes(stream), event_shapes(recorded("sse-responses.txt")));
  EXPECT_THAT(stream, HasSubstr(R"("status":"incomplete")"));
  EXPECT_THAT(stream, HasSubstr(R"("cached_tokens":1024,"cache_write_tokens":0)"));
}

TEST(ResponsesAnswer, BeginsBeforeTheFirstToken) {
  const auto reply = words(4);
  const auto answer = answer_of(reply);
  EXPECT_EQ(event_shapes(answer->begin()).size(), 2u);
  EXPECT_EQ(answer->events({0}), "");
}

TEST(ResponsesAnswer, StreamsACallOfANamespaceAsTheEngineDoes) {
  const auto reply = call_of("multi__spawn");
  const auto stream = token_by_token(*answer_of(reply, spawning()), reply.size());
  EXPECT_EQ(event_shapes(without_tools(stream)),
            event_shapes(without_tools(recorded("sse-responses-call.txt"))));
  EXPECT_THAT(stream, HasSubstr(R"("name":"spawn","type":"function_call")"));
  EXPECT_THAT(stream, HasSubstr(R"("namespace":"multi","status":"completed")"));
}

TEST(ResponsesAnswer, NumbersItsEventsAndItems) {
  Random ids(1);
  const auto reply = scripted_reply(text_and_call, wire::Endpoint::responses, ids);
  auto stream = token_by_token(*answer_of(reply), reply.size());
  int events = 0;
  std::string item;
  for (auto at = stream.find("data: "); at != std::string::npos; at = stream.find("data: ", at + 1)) {
    const auto event = Json::parse(stream.substr(at + 6, stream.find('\n', at) - at - 6));
    EXPECT_EQ(event.at("sequence_number"), events++);
    if (event.at("type") == "response.output_item.added") item = event.at("item").at("id");
    if (event.contains("item_id")) {
      EXPECT_EQ(event.at("item_id"), item);
      EXPECT_EQ(event.at("output_index"), item.starts_with("fc_") ? 1 : 0);
    }
  }
  EXPECT_GT(events, 8);
}

TEST(ResponsesAnswer, IsWholeAsTheEnginesIs) {
  const auto text = words(4);
  EXPECT_EQ(shape_of(answer_of(text)->whole(sample_counts)), shape_of(recorded("response.json")));
  const auto call = call_of("multi__spawn");
  EXPECT_EQ(shape_of(without_tools(answer_of(call, spawning())->whole(sample_counts))),
            shape_of(without_tools(recorded("response-call.json"))));
}

TEST(ResponsesAnswer, RepeatsWhatItWasAskedWith) {
  const auto reply = words(4, Finish::stop);
  const auto request =
      Body::parse(R"({"instructions":"Be brief.","temperature":0.5,"reasoning":{"summary":"auto"},
    "tools":[{"type":"function","name":"Bash"}],"metadata":null})");
  const auto json = Json::parse(answer_of(reply, request)->whole(sample_counts));
  EXPECT_EQ(json.at("instructions"), "Be brief.");
  EXPECT_EQ(json.at("temperature"), 0.5);
  EXPECT_EQ(json.at("reasoning"), Json::parse(R"({"summary":"auto"})"));
  EXPECT_EQ(json.at("tool_choice"), "auto");
  EXPECT_EQ(json.at("tools").at(0).at("name"), "Bash");
  EXPECT_TRUE(json.at("metadata").is_null());
  EXPECT_EQ(json.at("status"), "completed");
}

}  // namespace
}  // namespace lmw::simulator
