#include "wire/peek.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "wire/splice.hpp"

namespace lmw::wire {
namespace {

// A copy of its own with nothing but the padding behind it, so that the address sanitizer sees a read past
// its end.
Result<Peek> peeked(std::string_view body, char fill = '\0') {
  std::vector<char> copy(body.begin(), body.end());
  copy.resize(body.size() + padding, fill);
  return peek({copy.data(), body.size()});
}

Peek of(std::string_view body) {
  auto result = peeked(body);
  EXPECT_TRUE(result.has_value()) << body << ": " << (result ? "" : result.error().message);
  return result.value_or(Peek{});
}

std::string_view at(std::string_view body, ByteRange range) {
  return body.substr(range.begin, range.end - range.begin);
}

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST(Peek, FindsAllFieldsOfATypicalBody) {
  const std::string_view body =
      R"( {"model": "Org/Na\u006de" ,"messages":[{"role":"user","content":[{"text":"[,{"}]},{}],
    "system":[{"type":"text","text":"\"model\":\"not this\""}],"tools":[{},{},{}],"max_tokens":4096,"stream":true,
    "stream_options": {"include_usage": false } ,"user":"u-12345678","prompt_cache_key":"k"} )";
  const Peek peek = of(body);
  EXPECT_EQ(peek.object_begin, 1u);
  EXPECT_EQ(peek.model, "Org/Name");
  EXPECT_EQ(at(body, peek.model_value), R"("Org/Na\u006de")");
  EXPECT_TRUE(peek.stream);
  EXPECT_EQ(peek.stream_options, Peek::StreamOptions::object);
  EXPECT_EQ(at(body, peek.stream_options_value), R"({"include_usage": false })");
  ASSERT_TRUE(peek.include_usage_value);
  EXPECT_EQ(at(body, *peek.include_usage_value), "false");
  EXPECT_FALSE(peek.include_usage);
  EXPECT_EQ(peek.user, "u-12345678");
  EXPECT_EQ(peek.prompt_cache_key, "k");
  EXPECT_EQ(peek.messages, 2u);
  EXPECT_EQ(peek.tools, 3u);
}

TEST(Peek, AnEmptyObjectHasNothing) {
  const Peek peek = of(" { } ");
  EXPECT_TRUE(peek.empty_object);
  EXPECT_EQ(peek.object_begin, 1u);
  EXPECT_FALSE(peek.model || peek.user || peek.stream);
  EXPECT_EQ(peek.stream_options, Peek::StreamOptions::absent);
  EXPECT_FALSE(of(R"({"a":{}})").empty_object);
}

TEST(Peek, TheLastOfDuplicatesCounts) {
  const std::string_view body =
      R"({"model":"a","stream":true,"model":"b","stream":false,"messages":[1,2],"messages":[],
          "metadata":{"user_id":{"session_id":"x"}},"metadata":{},"stream_options":{},"stream_options":1})";
  const Peek peek = of(body);
  EXPECT_EQ(peek.model, "b");
  EXPECT_EQ(at(body, peek.model_value), R"("b")");
  EXPECT_FALSE(peek.stream);
  EXPECT_EQ(peek.messages, 0u);
  EXPECT_FALSE(peek.metadata_session);
  EXPECT_EQ(peek.stream_options, Peek::StreamOptions::other);
  EXPECT_FALSE(of(R"({"model":"a","model":null})").model);
}

TEST(Peek, TheLastOfDuplicatesCountsInsideStreamOptions) {
  const std::string_view body = R"({"stream_options":{"include_usage":false,"include_usage":true}})";
  const Peek peek = of(body);
  EXPECT_TRUE(peek.include_usage);
  EXPECT_EQ(peek.include_usage_value->begin, body.rfind("true"));
  EXPECT_FALSE(of(R"({"stream_options":{"include_usage":true},"stream_options":{}})").include_usage);
}

TEST(Peek, WrongTypesCountAsAbsent) {
  const Peek peek = of(R"({"model":7,"stream":"yes","stream_options":null,"user":{},"prompt_cache_key":[],
    "metadata":[{"user_id":1}],"messages":"text","tools":{"a":1},"max_tokens":"many"})");
  EXPECT_FALSE(peek.model || peek.stream || peek.user || peek.prompt_cache_key || peek.metadata_session);
  EXPECT_EQ(peek.messages + peek.tools, 0u);
  EXPECT_EQ(peek.stream_options, Peek::StreamOptions::other);
}

TEST(Peek, EmptyStringsCountAsAbsent) {
  const Peek peek = of(R"({"model":"","user":"","prompt_cache_key":"","prompt":"","input":""})");
  EXPECT_FALSE(peek.model || peek.user || peek.prompt_cache_key);
}

TEST(Peek, AnInputMayBeAListOfMessages) {
  EXPECT_EQ(of(R"({"input":"x"})").messages, 0u);
  EXPECT_EQ(of(R"({"input":[{},{}]})").messages, 2u);
  EXPECT_EQ(of(R"({"messages":null,"input":[],"prompt":{}})").messages, 0u);
}

TEST(Peek, AListOfMessagesIsCountedThoughThereIsAnInputToo) {
  EXPECT_EQ(of(R"({"messages":[{},{}],"input":[{}]})").messages, 2u);
  EXPECT_EQ(of(R"({"input":[{}],"messages":[{},{}]})").messages, 2u);
  EXPECT_EQ(of(R"({"messages":[],"input":[{}]})").messages, 0u);
  EXPECT_EQ(of(R"({"messages":"x","input":[{}]})").messages, 1u);
}

TEST(Peek, KeysMayBeWrittenWithEscapes) {
  const Peek peek = of(R"({"mo\u0064el":"a","\ud800":1,"\"model":"no","model\\":"no","":"no"})");
  EXPECT_EQ(peek.model, "a");
}

TEST(Peek, FindsTheSessionInAllThreeShapesOfUserId) {
  const std::string id = "57a121ec-f78c-48c3-a745-e3036a3ecc33";
  for (const std::string& user_id :
       {"\"user_ab12_account__session_" + id + "\"",
        "\"{\\\"device_id\\\":\\\"d\\\",\\\"account_uuid\\\":\\\"\\\",\\\"session_id\\\":\\\"" + id +
            "\\\"}\"",
        "{\"device_id\":\"d\",\"session_id\":\"" + id + "\"}"}) {
    EXPECT_EQ(
        of("{\"messages\":[],\"metadata\":{\"a\":[1],\"user_id\":" + user_id + ",\"b\":2}}").metadata_session,
        id)
        << user_id;
  }
}

TEST(Peek, NumbersAndEscapesThatNobodyNeedsDoNotMatter) {
  const Peek peek = of(
      R"({"seed":165598928036513123123,"t":1e400,"z":-0,"x":"\ud83d","\udcf0":"\u0000","messages":[{"content":"x \ude00 y"}],
          "model":"m"})");
  EXPECT_EQ(peek.model, "m");
  EXPECT_EQ(peek.messages, 1u);
}

TEST(Peek, AFieldThatCantBeDecodedIsAbsent) {
  const Peek peek =
      of(R"({"model":"\ud83d","user":"\ude00","max_tokens":1e400,"prompt_cache_key":"a\u0000b"})");
  EXPECT_FALSE(peek.model || peek.user);
  EXPECT_EQ(peek.prompt_cache_key, std::string("a\0b", 3));
}

TEST(Peek, WhatIsNoJsonObjectIsAnError) {
  for (std::string_view body : {"",
                                " ",
                                "null",
                                "[]",
                                "7",
                                "\"x\"",
                                "{",
                                "}",
                                "{\"model\"",
                                "{\"model\":",
                                "{\"model\":\"a",
                                "{\"model\":\"a\"",
                                "{\"model\":\"a\" \"b\":1}",
                                "{model:1}",
                                "{\"a\":1}{}",
                                "{\"a\":1} x",
                                "{\"a\":[1}",
                                "\xef\xbb\xbf{}",
                                "{\"a\":\"\xc0\xaf\"}",
                                "{\"a\":\"\xff\"}",
                                "data: {}"}) {
    EXPECT_FALSE(peeked(body)) << body;
  }
  EXPECT_FALSE(peeked({"{\"a\":\"\0\"}", 9})) << "a raw NUL in a string";
  EXPECT_EQ(peeked("[]").error().message, "the body is no JSON object");
}

TEST(Peek, DeepNestingIsSkippedWithoutRecursion) {
  const std::string open = repeated("[", 100'000);
  const std::string close = repeated("]", 100'000);
  EXPECT_EQ(of("{\"x\":" + open + close + ",\"model\":\"m\"}").model, "m");
  EXPECT_EQ(of("{\"messages\":[" + open + close + "],\"model\":\"m\"}").messages, 1u);
  EXPECT_EQ(of("{\"metadata\":{\"user_id\":" + open + close + "},\"model\":\"m\"}").model, "m");
  EXPECT_FALSE(peeked("{\"x\":" + open));
  EXPECT_FALSE(peeked(open));
  const std::string objects = repeated("{\"metadata\":", 100'000) + "1" + repeated("}", 100'000);
  EXPECT_TRUE(peeked(objects));
}

TEST(Peek, AMillionKeysAreNoProblem) {
  std::string body = "{" + repeated("\"k\":0,", 1'000'000) + "\"model\":\"m\"}";
  EXPECT_EQ(of(body).model, "m");
}

std::string without_billing(const std::string& body) {
  const auto peek = of(body);
  Splice splice;
  drop_billing(peek, splice);
  std::string out;
  for (const auto piece : splice.pieces(body)) out += piece;
  return out;
}

TEST(Peek, FindsTheBillingLineAtTheHeadOfTheSystemPrompt) {
  const std::string line = "x-anthropic-billing-header: cc_version=2.1.37.0d9; cch=fa690;";
  EXPECT_EQ(
      without_billing(R"({"system":[{"type":"text","text":")" + line + R"("}, {"text":"You are"}],"x":1})"),
      R"({"system":[{"text":"You are"}],"x":1})");
  EXPECT_EQ(without_billing(R"({"system": [ {"text":")" + line + R"("} ] })"), R"({"system": [ ] })");
  EXPECT_EQ(without_billing(R"({"system":")" + line + R"(\nYou are"})"), R"({"system":"You are"})");
  EXPECT_EQ(without_billing(R"({"system":")" + line + R"("})"), R"({"system":""})");
  EXPECT_EQ(without_billing(R"({"system":")" + line + R"( a\\new word\nYou"})"), R"({"system":"You"})");
  EXPECT_EQ(without_billing(R"({"system":[{"text":")" + line + R"("},{"text":")" + line + R"("}]})"),
            R"({"system":[{"text":")" + line + R"("}]})");
}

TEST(Peek, LeavesABillingLineAloneThatIsOnlyQuoted) {
  for (const std::string body :
       {R"({"system":[{"text":"You are"},{"text":"x-anthropic-billing-header: a"}]})",
        R"({"system":"You are x-anthropic-billing-header: a\n"})", R"({"system":[]})", R"({"system":7})",
        R"({"messages":[{"role":"user","content":[{"text":"x-anthropic-billing-header: a"}]}]})",
        // The last of two counts.
        R"({"system":[{"text":"x-anthropic-billing-header: a","text":"You are"}]})"}) {
    EXPECT_EQ(without_billing(body), body);
  }
}

// Whatever comes, it neither crashes nor reads past the padding, and ranges stay inside the body.
void survive(std::string_view body) {
  for (const char fill : {'\0', '}', '"', ','}) {
    const auto peek = peeked(body, fill);
    if (!peek) continue;
    EXPECT_LE(peek->model_value.end, body.size());
    EXPECT_LE(peek->stream_options_value.end, body.size());
    EXPECT_LE(peek->stream_options_value.begin, peek->stream_options_value.end);
    if (peek->billing) {
      EXPECT_LE(peek->billing->begin, peek->billing->end);
      EXPECT_LE(peek->billing->end, body.size());
    }
    if (peek->include_usage_value) EXPECT_LE(peek->include_usage_value->end, peek->stream_options_value.end);
  }
}

TEST(Peek, SurvivesCutAndGarbledBodies) {
  const std::string body =
      R"({"model":"m","messages":[{"a":[1,{}],"role":"user","content":[{"type":"text","text":"t"},)"
      R"({"type":"tool_result","content":[{"text":"u"}]}]},[]],"metadata":{"user_id":{"session_id":"s"}},"stream":true,)"
      R"("stream_options":{"x":[{}],"include_usage":[{"a":1}]},"system":[{"text":"x-anthropic-billing-header: a"},{}],"tools":[{}],"input":"\u00e9","max_tokens":12})";
  for (std::size_t size = 0; size <= body.size(); ++size) survive(body.substr(0, size));

  Random random(7);
  constexpr std::string_view marks = "{}[]\",:\\ 0tfn\xff";
  for (int round = 0; round < 20'000; ++round) {
    std::string garbled = body;
    for (auto edits = random.between(1, 4); edits > 0; --edits) {
      const auto where =
          static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(body.size()) - 1));
      garbled[where] = marks[static_cast<std::size_t>(random.between(0, std::ssize(marks) - 1))];
    }
    survive(garbled);
  }
}

}  // namespace
}  // namespace lmw::wire
