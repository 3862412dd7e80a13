#include "wire/splice.hpp"

#include <string>

#include <gtest/gtest.h>

namespace lmw::wire {
namespace {

std::string joined(const Splice& splice, std::string_view body) {
  std::string result;
  for (const auto piece : splice.pieces(body)) result += piece;
  EXPECT_EQ(splice.size_after(body.size()), result.size());
  return result;
}

Peek peeked(std::string_view body) {
  std::string padded(body);
  padded.append(padding, '\0');
  auto result = peek(std::string_view(padded).substr(0, body.size()));
  EXPECT_TRUE(result.has_value()) << body;
  return result.value_or(Peek{});
}

// The body after asking for usage; "" when nothing was asked.
std::string asking(std::string_view body) {
  Splice splice;
  if (!ask_for_usage(peeked(body), splice)) {
    EXPECT_TRUE(splice.empty());
    return "";
  }
  return joined(splice, body);
}

TEST(Splice, AppliesEditsInTheOrderOfTheBodyWhateverTheOrderOfCalls) {
  Splice splice;
  splice.replace({4, 6}, "EF!");
  splice.insert(0, "<");
  splice.insert(7, ">");
  splice.replace({1, 2}, "");
  EXPECT_EQ(joined(splice, "abcdefg"), "<acdEF!g>");
}

TEST(Splice, InsertionsAtOnePlaceKeepTheirOrderAndGoBeforeAReplacement) {
  Splice splice;
  splice.replace({1, 2}, "X");
  splice.insert(1, "1");
  splice.insert(1, "2");
  EXPECT_EQ(joined(splice, "abc"), "a12Xc");
}

TEST(Splice, WithoutEditsTheBodyIsOnePieceOfItself) {
  const std::string body = "abc";
  const Splice splice;
  const auto pieces = splice.pieces(body);
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].data(), body.data());
  EXPECT_TRUE(splice.pieces("").empty());
}

TEST(AskForUsage, AddsTheMemberInFrontAndLeavesAllOtherBytes) {
  EXPECT_EQ(asking(" { \"stream\" : true,\n\"model\":\"m\" } "),
            " {\"stream_options\":{\"include_usage\":true}, \"stream\" : true,\n\"model\":\"m\" } ");
}

TEST(AskForUsage, CompletesStreamOptions) {
  EXPECT_EQ(asking(R"({"stream":true,"stream_options":{}})"),
            R"({"stream":true,"stream_options":{"include_usage":true}})");
  EXPECT_EQ(asking(R"({"stream_options": { } ,"stream":true})"),
            R"({"stream_options": {"include_usage":true } ,"stream":true})");
  EXPECT_EQ(asking(R"({"stream":true,"stream_options":{"continuous_usage_stats":false}})"),
            R"({"stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":false}})");
}

TEST(AskForUsage, PutsTrueInThePlaceOfAnyOtherValue) {
  for (std::string_view value : {"false", "null", "0", "\"}\"", "[1,[2]]", "{\"a\":{}}"}) {
    const std::string head = R"({"stream":true,"stream_options":{"include_usage" : )";
    EXPECT_EQ(asking(head + std::string(value) + " ,\"x\":1} }"), head + "true ,\"x\":1} }") << value;
  }
}

TEST(AskForUsage, EditsTheLastOfDuplicates) {
  EXPECT_EQ(
      asking(R"({"stream":true,"stream_options":{"include_usage":true},"stream_options":{"a":1}})"),
      R"({"stream":true,"stream_options":{"include_usage":true},"stream_options":{"include_usage":true,"a":1}})");
  EXPECT_EQ(asking(R"({"stream":true,"stream_options":{"include_usage":true,"include_usage":false}})"),
            R"({"stream":true,"stream_options":{"include_usage":true,"include_usage":true}})");
}

TEST(AskForUsage, DoesNothingWhereUsageComesAnywayOrCantBeAskedFor) {
  EXPECT_EQ(asking(R"({"stream":true,"stream_options":{"include_usage":true}})"), "");
  EXPECT_EQ(asking(R"({"stream":true,"stream_options":null})"), "");
  EXPECT_EQ(asking(R"({"stream":true,"stream_options":[]})"), "");
  EXPECT_EQ(asking(R"({"stream":false})"), "");
  EXPECT_EQ(asking(R"({})"), "");
}

TEST(ReplaceModel, ChangesTheValueOnly) {
  const std::string_view body = R"({"messages":["model"], "model" : "claude-\u0068aiku" , "x":1e400})";
  Splice splice;
  replace_model(peeked(body), "Org/\"Na\\me\"", splice);
  EXPECT_EQ(joined(splice, body), R"({"messages":["model"], "model" : "Org/\"Na\\me\"" , "x":1e400})");
}

TEST(JsonString, EscapesControlCharactersAndReplacesWhatIsNoUtf8) {
  EXPECT_EQ(json_string("a\n\x01\"é"), "\"a\\n\\u0001\\\"é\"");
  EXPECT_EQ(json_string("\xc0\xaf!"), "\"\xef\xbf\xbd\xef\xbf\xbd!\"");
}

}  // namespace
}  // namespace lmw::wire
