#include "wire/usage.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/recorded.hpp"

namespace lmw::wire {
namespace {

Usage chat_body(const std::string& usage) {
  return usage_of_body(Endpoint::chat_completions,
                       R"({"id":"x","choices":[{"text":"\"usage\""}],"usage":)" + usage + "}");
}

Usage messages_body(const std::string& usage) {
  return usage_of_body(Endpoint::messages, R"({"type":"message","content":[],"usage":)" + usage + "}");
}

// Feeds a stream and returns what of it reaches the client.
std::string pass(StreamWatch& watch, std::string_view stream) {
  SseSplitter splitter;
  splitter.feed(stream);
  std::string passed;
  while (const auto item = splitter.next()) {
    if (watch.observe(item->event)) passed += item->event.raw;
  }
  return passed;
}

StreamWatch after(Endpoint endpoint, std::string_view stream) {
  StreamWatch watch(endpoint, false);
  pass(watch, stream);
  return watch;
}

// Not `data`: std::data would be found first for a std::string.
std::string frame(std::string_view json) { return "data: " + std::string(json) + "\n\n"; }

bool chat_has_content(std::string_view choices) {
  return after(Endpoint::chat_completions, frame("{\"choices\":" + std::string(choices) + "}")).has_content();
}

TEST(UsageOfBody, ReadsChatCounts) {
  EXPECT_EQ(chat_body(R"({"prompt_tokens":1134,"total_tokens":1138,"completion_tokens":4,
                          "prompt_tokens_details":{"cached_tokens":1024,"created_cache_tokens":0}})"),
            (Usage{1134, 1024, 4}));
}

TEST(UsageOfBody, AbsentIsNotZero) {
  EXPECT_EQ(chat_body(R"({"prompt_tokens":5,"completion_tokens":0,"prompt_tokens_details":null})"),
            (Usage{5, {}, 0}));
  EXPECT_EQ(chat_body(R"({"prompt_tokens":5,"prompt_tokens_details":{}})"), (Usage{5, {}, {}}));
  EXPECT_EQ(chat_body(R"({"prompt_tokens":5,"prompt_tokens_details":{"cached_tokens":null}})"),
            (Usage{5, {}, {}}));
  EXPECT_EQ(chat_body(R"({"prompt_tokens":5,"prompt_tokens_details":{"cached_tokens":0}})"),
            (Usage{5, 0, {}}));
  EXPECT_EQ(messages_body(R"({"input_tokens":5,"output_tokens":1})"), (Usage{5, {}, 1}));
}

TEST(UsageOfBody, NonsenseIsUnknown) {
  EXPECT_EQ(chat_body(R"({"prompt_tokens":5,"prompt_tokens_details":{"cached_tokens":6}})"),
            (Usage{5, {}, {}}));
  EXPECT_EQ(
      chat_body(
          R"({"prompt_tokens":"5","completion_tokens":-1,"prompt_tokens_details":{"cached_tokens":2}})"),
      Usage{});
  EXPECT_EQ(chat_body(R"({"prompt_tokens":1e400,"completion_tokens":9223372036854775807})"), Usage{});
  EXPECT_EQ(
      messages_body(R"({"input_tokens":9223372036854775807,"cache_read_input_tokens":9223372036854775807})"),
      Usage{});
  for (auto usage : {"null", "{}", "\"many\"", "[]", "7"}) {
    EXPECT_EQ(chat_body(usage), Usage{}) << usage;
    EXPECT_EQ(messages_body(usage), Usage{}) << usage;
  }
}

TEST(UsageOfBody, TheLastOfDuplicatesCounts) {
  EXPECT_EQ(chat_body(R"({"prompt_tokens":4,"prompt_tokens_details":{"cached_tokens":3},
                          "prompt_tokens":5,"prompt_tokens_details":null})"),
            (Usage{5, {}, {}}));
}

TEST(UsageOfBody, AMessagesPromptIsTheSumOfItsThreeParts) {
  EXPECT_EQ(messages_body(R"({"input_tokens":111,"output_tokens":4,"cache_creation_input_tokens":20,
                              "cache_read_input_tokens":1024})"),
            (Usage{1155, 1024, 4}));
  EXPECT_EQ(
      messages_body(R"({"input_tokens":7,"cache_creation_input_tokens":null,"cache_read_input_tokens":0})"),
      (Usage{7, 0, {}}));
}

TEST(UsageOfBody, IsNothingWhereThereIsNone) {
  EXPECT_EQ(usage_of_body(Endpoint::count_tokens, R"({"input_tokens":1135,"usage":{"input_tokens":1}})"),
            Usage{});
  EXPECT_EQ(usage_of_body(Endpoint::models, R"({"usage":{"prompt_tokens":1}})"), Usage{});
  for (auto body : {"", "{", "[]", "Internal Server Error", R"({"choices":[{"usage":{"prompt_tokens":1}}]})",
                    R"({"usage":{"prompt_tokens":1)"}) {
    EXPECT_EQ(usage_of_body(Endpoint::chat_completions, body), Usage{}) << body;
  }
}

TEST(StreamWatch, FollowsARecordedChatStream) {
  const std::string stream = recorded("sse-chat-usage.txt");
  StreamWatch watch(Endpoint::chat_completions, false);
  EXPECT_EQ(pass(watch, stream), stream);
  EXPECT_TRUE(watch.has_content());
  EXPECT_EQ(watch.end(), StreamEnd::complete);
  EXPECT_EQ(watch.usage(), (Usage{1134, 1024, 4}));
}

TEST(StreamWatch, HidesTheUsageEventThatOnlyWeAskedForAndNothingElse) {
  const std::string stream = recorded("sse-chat-usage.txt");
  StreamWatch watch(Endpoint::chat_completions, true);
  const std::string passed = pass(watch, stream);
  EXPECT_EQ(watch.usage(), (Usage{1134, 1024, 4}));
  const auto begin = stream.rfind("data: {");
  const auto end = stream.find("data: [DONE]");
  EXPECT_EQ(passed, stream.substr(0, begin) + stream.substr(end));
}

TEST(StreamWatch, HidesNoEventWithAChoiceOrWithoutUsage) {
  const std::string stream =
      frame(R"({"choices":[{"delta":{"content":"x"}}],"usage":{"prompt_tokens":1}})") +
      frame(R"({"choices":[],"usage":null})") + frame(R"({"choices":[],"prompt_filter":[]})") +
      frame(R"({"usage":{"prompt_tokens":1}})") + frame(R"({"choices":[{}],"x":"usage"})");
  StreamWatch watch(Endpoint::chat_completions, true);
  EXPECT_EQ(pass(watch, stream), stream);
}

TEST(StreamWatch, AStreamWithoutUsageLeavesItUnknown) {
  const StreamWatch watch = after(Endpoint::chat_completions, recorded("sse-chat-no-usage.txt"));
  EXPECT_EQ(watch.usage(), Usage{});
  EXPECT_EQ(watch.end(), StreamEnd::complete);
}

TEST(StreamWatch, OfContinuousUsageTheLastCounts) {
  const std::string stream = recorded("sse-chat-continuous-usage.txt");
  EXPECT_EQ(after(Endpoint::chat_completions, stream).usage(), (Usage{1134, 1024, 4}));
  const std::string cut = stream.substr(0, stream.find("data: {", stream.find("ics")));
  EXPECT_EQ(after(Endpoint::chat_completions, cut).usage(), (Usage{1134, {}, 2}));
}

TEST(StreamWatch, FollowsARecordedMessagesStream) {
  const std::string stream = recorded("sse-messages.txt");
  StreamWatch watch(Endpoint::messages, true);
  EXPECT_EQ(pass(watch, stream), stream);
  EXPECT_TRUE(watch.has_content());
  EXPECT_EQ(watch.end(), StreamEnd::complete);
  EXPECT_EQ(watch.usage(), (Usage{1135, 1024, 4}));
}

TEST(StreamWatch, AMessagesStreamCutShortKnowsItsPromptOnly) {
  const std::string stream = recorded("sse-messages.txt");
  const StreamWatch watch =
      after(Endpoint::messages, stream.substr(0, stream.find("event: content_block_stop")));
  EXPECT_EQ(watch.usage(), (Usage{1135, {}, {}}));
  EXPECT_EQ(watch.end(), StreamEnd::open);
}

TEST(StreamWatch, AClosingCountOfTheOutputAloneKeepsThePrompt) {
  const std::string stream =
      frame(
          R"({"type":"message_start","message":{"usage":{"input_tokens":9,"cache_read_input_tokens":5,"output_tokens":1}}})") +
      frame(R"({"type":"message_delta","usage":{"output_tokens":77}})");
  EXPECT_EQ(after(Endpoint::messages, stream).usage(), (Usage{14, 5, 77}));
}

TEST(StreamWatch, AChatAnswerBeginsWithItsFirstToken) {
  for (auto delta : {R"({"content":"x"})", R"({"content":"","reasoning":"x"})",
                     R"({"reasoning_content":"x"})", R"({"role":"assistant","tool_calls":[{"index":0}]})"}) {
    EXPECT_TRUE(chat_has_content("[{\"delta\":" + std::string(delta) + "}]")) << delta;
  }
  EXPECT_TRUE(chat_has_content(R"([{"index":0,"text":"x"}])"));
  EXPECT_TRUE(chat_has_content(R"([{"delta":{}},{"delta":{"content":"x"}}])"));
}

TEST(StreamWatch, OpenersAndHeartbeatsAreNoContent) {
  for (auto choices :
       {R"([{"delta":{"role":"assistant","content":""}}])", R"([{"delta":{"content":null,"tool_calls":[]}}])",
        R"([{"delta":{"tool_calls":null}}])", R"([{"text":""}])", R"([{"delta":null}])", "[]", "null"}) {
    EXPECT_FALSE(chat_has_content(choices)) << choices;
  }
  EXPECT_FALSE(after(Endpoint::chat_completions, ": ping\n\nevent: ping\ndata: {}\n\ndata: not json\n\n")
                   .has_content());
  EXPECT_FALSE(after(Endpoint::messages, R"(event: message_start
data: {"type":"message_start","message":{"content":[],"usage":{"input_tokens":1}}}

event: ping
data: {"type":"ping"}

event: content_block_start
data: {"type":"content_block_start","content_block":{"type":"text","text":""},"index":0}

)")
                   .has_content());
}

TEST(StreamWatch, AMessagesAnswerBeginsWithADeltaOrAToolUse) {
  EXPECT_TRUE(
      after(Endpoint::messages, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\"}\n\n")
          .has_content());
  EXPECT_TRUE(after(Endpoint::messages, frame(R"({"type":"content_block_delta","delta":{}})")).has_content());
  EXPECT_TRUE(
      after(Endpoint::messages, "event: content_block_start\n" +
                                    frame(R"({"content_block":{"type":"tool_use","id":"t"},"index":0})"))
          .has_content());
}

TEST(StreamWatch, AnErrorFrameIsAnErrorThoughDoneFollows) {
  EXPECT_EQ(after(Endpoint::chat_completions,
                  frame(R"({"error": {"message":"rank 9","code":400}})") + frame("[DONE]"))
                .end(),
            StreamEnd::error);
  EXPECT_EQ(after(Endpoint::chat_completions,
                  frame(R"({"choices":[{"delta":{"content":"x"}}]})") + frame(R"({"error":{"code":500}})"))
                .end(),
            StreamEnd::error);
  EXPECT_EQ(after(Endpoint::messages, "event: error\ndata: {\"type\":\"error\",\"error\":{}}\n\n").end(),
            StreamEnd::error);
  EXPECT_EQ(after(Endpoint::messages, frame(R"({"type":"error","error":{}})")).end(), StreamEnd::error);
}

TEST(StreamWatch, TextAboutErrorsAndUsageIsJustText) {
  const std::string stream =
      frame(R"({"choices":[{"delta":{"content":"a"}}],"error":null})") +
      frame(R"({"choices":[{"delta":{"content":"\"error\": {\"usage\":{\"prompt_tokens\":7}}"}}]})") +
      frame(R"({"choices":[{"delta":{"content":"error"},"error":{"usage":{"prompt_tokens":7}}}]})");
  const StreamWatch watch = after(Endpoint::chat_completions, stream);
  EXPECT_EQ(watch.end(), StreamEnd::open);
  EXPECT_EQ(watch.usage(), Usage{});
}

TEST(StreamWatch, ACompleteStreamStaysComplete) {
  EXPECT_EQ(
      after(Endpoint::messages, frame(R"({"type":"message_stop"})") + "event: error\ndata: {}\n\n").end(),
      StreamEnd::complete);
}

TEST(StreamWatch, FollowsARecordedResponsesStream) {
  const StreamWatch watch = after(Endpoint::responses, recorded("sse-responses.txt"));
  EXPECT_EQ(watch.end(), StreamEnd::complete);
  EXPECT_TRUE(watch.has_content());
  EXPECT_EQ(watch.usage(), (Usage{1135, 1024, 16}));
}

TEST(StreamWatch, FollowsARecordedCompletionsStream) {
  const StreamWatch watch = after(Endpoint::completions, recorded("sse-completions-usage.txt"));
  EXPECT_EQ(watch.end(), StreamEnd::complete);
  EXPECT_TRUE(watch.has_content());
  EXPECT_EQ(watch.usage(), (Usage{1124, 1024, 4}));
}

TEST(StreamWatch, AResponsesStreamHasNoContentBeforeItsFirstDelta) {
  const std::string stream = recorded("sse-responses.txt");
  const auto first_delta = stream.find("event: response.output_text.delta");
  const StreamWatch watch = after(Endpoint::responses, stream.substr(0, first_delta));
  EXPECT_FALSE(watch.has_content());
  EXPECT_EQ(watch.end(), StreamEnd::open);
}

TEST(StreamWatch, CountsTheEventsWithContentOfEachFamily) {
  const std::string text = R"({"choices":[{"delta":{"content":"x"}}]})";
  const std::string opener = R"({"choices":[{"delta":{"role":"assistant","content":""}}]})";
  const std::string usage = R"({"choices":[],"usage":{"prompt_tokens":5}})";
  EXPECT_EQ(after(Endpoint::chat_completions, frame(opener) + frame(text) + ": ping\n\n" + frame(text) +
                                                  frame(text) + frame(usage) + "data: [DONE]\n\n")
                .content_events(),
            3);
  const std::string delta = R"({"type":"content_block_delta","delta":{}})";
  for (const std::string name : {"", "event: content_block_delta\n"}) {
    EXPECT_EQ(
        after(Endpoint::messages, name + frame(delta) + "event: ping\ndata: {}\n\n" + name + frame(delta))
            .content_events(),
        2);
  }
  EXPECT_EQ(after(Endpoint::responses, "event: response.output_text.delta\n" + frame("{}") +
                                           "event: response.output_text.done\n" + frame("{}"))
                .content_events(),
            1);
}

TEST(StreamWatch, AFailedResponseIsAnError) {
  const StreamWatch watch = after(Endpoint::responses, "event: response.failed\ndata: {\"response\":{}}\n\n");
  EXPECT_EQ(watch.end(), StreamEnd::error);
}

TEST(UsageOfBody, ReadsAWholeResponse) {
  const auto usage = usage_of_body(
      Endpoint::responses,
      R"({"usage":{"input_tokens":20,"input_tokens_details":{"cached_tokens":16},"output_tokens":3}})");
  EXPECT_EQ(usage, (Usage{20, 16, 3}));
}

}  // namespace
}  // namespace lmw::wire
