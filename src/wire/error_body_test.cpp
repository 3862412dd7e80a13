#include "wire/error_body.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lmw::wire {
namespace {

using nlohmann::json;

TEST(ErrorBody, HasTheShapeOfEachFamily) {
  EXPECT_EQ(
      error_body(ErrorKind::not_found, Family::openai, "no such model"),
      R"({"error":{"message":"no such model","type":"not_found_error","param":null,"code":"not_found"}})");
  EXPECT_EQ(error_body(ErrorKind::not_found, Family::anthropic, "no such model"),
            R"({"type":"error","error":{"type":"not_found_error","message":"no such model"}})");
}

TEST(ErrorBody, FullIs503ForOpenAiAnd529ForAnthropic) {
  EXPECT_EQ(status_of(ErrorKind::overloaded, Family::openai), 503);
  EXPECT_EQ(status_of(ErrorKind::overloaded, Family::anthropic), 529);
  EXPECT_EQ(status_of(ErrorKind::unavailable, Family::anthropic), 503);
}

TEST(ErrorBody, AnthropicTypesAreTheOfficialOnes) {
  const auto type = [](ErrorKind kind) {
    return json::parse(error_body(kind, Family::anthropic, "x"))["error"]["type"].get<std::string>();
  };
  EXPECT_EQ(type(ErrorKind::invalid_request), "invalid_request_error");
  EXPECT_EQ(type(ErrorKind::unauthorized), "authentication_error");
  EXPECT_EQ(type(ErrorKind::too_large), "request_too_large");
  EXPECT_EQ(type(ErrorKind::timeout), "timeout_error");
  EXPECT_EQ(type(ErrorKind::upstream), "api_error");
  EXPECT_EQ(type(ErrorKind::overloaded), "overloaded_error");
}

TEST(ErrorBody, AnyMessageComesBackAsItWasAndBytesThatAreNoTextAreReplaced) {
  const std::string nasty = "a \"quote\" \\ line\nend \x01 é";
  for (const Family family : {Family::openai, Family::anthropic}) {
    EXPECT_EQ(json::parse(error_body(ErrorKind::upstream, family, nasty))["error"]["message"], nasty);
    EXPECT_EQ(json::parse(error_body(ErrorKind::upstream, family, "a\xff"))["error"]["message"],
              "a\xef\xbf\xbd");
  }
}

TEST(ErrorBody, AsAnEventItIsOneWholeFrameOfTheFamily) {
  const std::string openai = error_event(ErrorKind::upstream, Family::openai, "gone\nnow");
  EXPECT_EQ(openai, "data: " + error_body(ErrorKind::upstream, Family::openai, "gone\nnow") + "\n\n");
  EXPECT_EQ(error_event(ErrorKind::upstream, Family::anthropic, "gone"),
            "event: error\ndata: " + error_body(ErrorKind::upstream, Family::anthropic, "gone") + "\n\n");
  EXPECT_EQ(openai.find('\n'), openai.size() - 2) << "a line end in the message must not cut the frame";
}

TEST(ErrorBody, OfAResponsesStreamIsAFailedResponse) {
  const std::string event = error_event(ErrorKind::upstream, Family::responses, "gone");
  const std::string head = "event: response.failed\ndata: ";
  ASSERT_TRUE(event.starts_with(head) && event.ends_with("\n\n")) << event;
  const auto data = json::parse(event.substr(head.size()));
  EXPECT_EQ(data["type"], "response.failed");
  EXPECT_EQ(data["response"]["status"], "failed");
  EXPECT_EQ(data["response"]["error"]["message"], "gone");
  EXPECT_EQ(error_body(ErrorKind::upstream, Family::responses, "x"),
            error_body(ErrorKind::upstream, Family::openai, "x"));
}

TEST(ErrorBody, OurOwnFaultIs500InEachFamily) {
  EXPECT_EQ(status_of(ErrorKind::internal, Family::openai), 500);
  EXPECT_EQ(status_of(ErrorKind::internal, Family::anthropic), 500);
  EXPECT_EQ(json::parse(error_body(ErrorKind::internal, Family::anthropic, "x"))["error"]["type"],
            "api_error");
}

TEST(ErrorBody, AnEnginesStatusSaysTheKind) {
  EXPECT_EQ(kind_of_status(400), ErrorKind::invalid_request);
  EXPECT_EQ(kind_of_status(422), ErrorKind::invalid_request);
  EXPECT_EQ(kind_of_status(401), ErrorKind::unauthorized);
  EXPECT_EQ(kind_of_status(404), ErrorKind::not_found);
  EXPECT_EQ(kind_of_status(413), ErrorKind::too_large);
  for (const int busy : {429, 503, 529}) EXPECT_EQ(kind_of_status(busy), ErrorKind::overloaded);
  for (const int other : {200, 204, 302, 500, 502}) EXPECT_EQ(kind_of_status(other), ErrorKind::upstream);
}

TEST(ErrorBody, AnEnginesMessageIsFoundInEveryShape) {
  EXPECT_EQ(message_of_error(R"({"error":{"message":"too long","type":"BadRequestError","code":400}})"),
            "too long");
  EXPECT_EQ(message_of_error(R"({"type":"error","error":{"type":"x","message":"too long"}})"), "too long");
  EXPECT_EQ(message_of_error(R"({"error":"too long"})"), "too long");
  EXPECT_EQ(message_of_error(R"({"detail":"Not Found"})"), "Not Found");
  EXPECT_EQ(message_of_error(R"({"object":"error","message":"too long"})"), "too long");
  for (const auto* none :
       {"", "Internal Server Error", "[1]", R"({"error":{"message":5}})", R"({"error":null})",
        R"({"detail":[{"msg":"x"}]})", R"({"error":{"message":"cut)"}) {
    EXPECT_EQ(message_of_error(none), "") << none;
  }
}

}  // namespace
}  // namespace lmw::wire
