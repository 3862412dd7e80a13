#include "bench/dialect.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lmw::bench {
namespace {

using nlohmann::json;
using wire::Endpoint;

struct Asked {
  wire::RequestHead head;
  json body;
};

// The second turn of a conversation with a system prompt of 32 tokens.
Asked ask(const Dialect& dialect, const Sender& sender) {
  const workload::Words words(16, "salt");
  workload::Transcript transcript(words, 32);
  transcript.ask({.prompt_tokens = 48, .output_tokens = 16, .content = {{1, 4}}});
  transcript.answered("fine");
  transcript.ask({.prompt_tokens = 80, .output_tokens = 16, .content = {{1, 6}}});
  const auto body = request_body(dialect, transcript, 99);
  return {request_head(dialect, parse_origin("http://127.0.0.1:9/base").value(), sender, body.size()),
          json::parse(body)};
}

TEST(Dialect, AsksInEachApi) {
  const auto messages = ask({.endpoint = Endpoint::messages, .model = "m"}, {1, {}});
  EXPECT_EQ(messages.head.target, "/base/v1/messages");
  EXPECT_EQ(messages.body["max_tokens"], 99);
  EXPECT_EQ(messages.body["messages"].size(), 3U);
  EXPECT_EQ(messages.body["messages"][1]["content"], "fine");
  EXPECT_TRUE(messages.body["system"][0]["text"].get<std::string>().starts_with(" "));

  const auto chat = ask({.endpoint = Endpoint::chat_completions, .model = "m", .ignore_eos = false}, {1, {}});
  EXPECT_EQ(chat.head.target, "/base/v1/chat/completions");
  EXPECT_EQ(chat.body["messages"].size(), 4U);
  EXPECT_EQ(chat.body["messages"][0]["role"], "system");
  EXPECT_EQ(chat.body["stream_options"]["include_usage"], true);
  EXPECT_FALSE(chat.body.contains("ignore_eos"));

  const auto responses = ask({.endpoint = Endpoint::responses, .model = "m"}, {1, {}});
  EXPECT_EQ(responses.head.target, "/base/v1/responses");
  EXPECT_EQ(responses.body["max_output_tokens"], 99);
  EXPECT_EQ(responses.body["input"].size(), 3U);
  EXPECT_EQ(responses.body["ignore_eos"], true);
}

TEST(Dialect, NamesTheConversationAsItsClientWould) {
  const Sender sub{2, 1};
  const auto id = [&](Ids ids, const Sender& sender, const char* header) {
    return std::string(ask({.ids = ids}, sender).head.headers.find(header).value_or(""));
  };
  EXPECT_EQ(id(Ids::session, sub, "X-Parent-Session-Id"), id(Ids::session, {1, {}}, "X-Session-Id"));
  EXPECT_NE(id(Ids::session, sub, "X-Session-Id"), id(Ids::session, {1, {}}, "X-Session-Id"));
  EXPECT_EQ(id(Ids::claude_code, sub, "X-Claude-Code-Session-Id"),
            id(Ids::claude_code, {1, {}}, "X-Claude-Code-Session-Id"));
  EXPECT_EQ(id(Ids::claude_code, sub, "x-claude-code-agent-id").size(), 17U);
  EXPECT_EQ(id(Ids::claude_code, {1, {}}, "x-claude-code-agent-id"), "");
  EXPECT_EQ(id(Ids::none, sub, "X-Session-Id"), "");
}

TEST(Dialect, SendsTheKeyOnlyWhereThereIsOne) {
  EXPECT_EQ(ask({.api_key = "secret"}, {1, {}}).head.headers.find("Authorization"), "Bearer secret");
  EXPECT_FALSE(ask({}, {1, {}}).head.headers.find("Authorization"));
}

TEST(Dialect, ReadsTheTextOfEachStream) {
  std::string text;
  append_text(Endpoint::messages,
              {"content_block_delta", R"({"delta":{"type":"text_delta","text":"a"}})", ""}, text);
  append_text(Endpoint::messages, {"message_delta", R"({"delta":{"stop_reason":"end_turn"}})", ""}, text);
  append_text(Endpoint::chat_completions, {"", R"({"choices":[{"delta":{"content":"b"}}]})", ""}, text);
  append_text(Endpoint::chat_completions, {"", R"({"choices":[{"delta":{"content":null}}]})", ""}, text);
  append_text(Endpoint::chat_completions, {"", R"({"choices":[],"usage":{}})", ""}, text);
  append_text(Endpoint::chat_completions, {"", "[DONE]", ""}, text);
  append_text(Endpoint::responses, {"response.output_text.delta", R"({"delta":"c"})", ""}, text);
  append_text(Endpoint::responses, {"response.output_text.done", R"({"text":"c"})", ""}, text);
  EXPECT_EQ(text, "abc");
}

}  // namespace
}  // namespace lmw::bench
