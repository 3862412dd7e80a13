#include "wire/http_message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lmw::wire {
namespace {

Headers make(std::initializer_list<std::pair<std::string_view, std::string_view>> items) {
  Headers result;
  for (const auto& [name, value] : items) result.add(name, value);
  return result;
}

std::vector<std::string> names(const Headers& headers) {
  std::vector<std::string> result;
  for (const auto& header : headers) result.push_back(header.name);
  return result;
}

TEST(EqualIgnoringCase, FoldsAsciiLettersOnly) {
  EXPECT_TRUE(equal_ignoring_case("X-Session-ID", "x-session-id"));
  EXPECT_FALSE(equal_ignoring_case("a", "ab"));
  EXPECT_FALSE(equal_ignoring_case("[", "{"));  // 0x20 apart, as letters are
  EXPECT_FALSE(equal_ignoring_case("\xc4", "\xe4"));
}

TEST(Headers, FindGivesTheFirstOfANameWhateverItsCase) {
  const auto h = make({{"Accept", "a"}, {"ACCEPT", "b"}});
  EXPECT_EQ(h.find("accept"), "a");
  EXPECT_EQ(h.count("accept"), 2u);
  EXPECT_EQ(h.find("Host"), std::nullopt);
}

TEST(Headers, AnEmptyValueIsFound) { EXPECT_EQ(make({{"Host", ""}}).find("host"), ""); }

TEST(Headers, SetReplacesAllOfANameInThePlaceOfTheFirst) {
  auto h = make({{"A", "1"}, {"b", "2"}, {"C", "3"}, {"B", "4"}});
  h.set("B", "5");
  EXPECT_THAT(names(h), ::testing::ElementsAre("A", "B", "C"));
  EXPECT_EQ(h.find("b"), "5");
}

TEST(Headers, SetAddsWhatIsNotThere) {
  auto h = make({{"A", "1"}});
  h.set("B", "2");
  EXPECT_THAT(names(h), ::testing::ElementsAre("A", "B"));
}

TEST(Headers, RemoveTakesAllOfAName) {
  auto h = make({{"A", "1"}, {"B", "2"}, {"a", "3"}});
  h.remove("A");
  EXPECT_THAT(names(h), ::testing::ElementsAre("B"));
}

TEST(Headers, ATokenIsFoundInAnyLineAndElement) {
  const auto h = make({{"Connection", "keep-alive,\tUpgrade ,"}, {"connection", "X-Foo"}});
  EXPECT_TRUE(h.has_token("Connection", "keep-alive"));
  EXPECT_TRUE(h.has_token("Connection", "upgrade"));
  EXPECT_TRUE(h.has_token("Connection", "x-foo"));
  EXPECT_FALSE(h.has_token("Connection", "keep"));
  EXPECT_FALSE(h.has_token("Connection", ""));
  EXPECT_FALSE(h.has_token("TE", "upgrade"));
}

TEST(RequestHead, ThePathEndsAtTheQuery) {
  RequestHead head;
  head.target = "/v1/messages?beta=true?";
  EXPECT_EQ(head.path(), "/v1/messages");
  head.target = "/health";
  EXPECT_EQ(head.path(), "/health");
}

TEST(KeepAlive, IsTheDefaultOfHttp11AndAskedForInHttp10) {
  const auto alive = [](int minor, const Headers& headers) {
    RequestHead request;
    ResponseHead response;
    request.minor = response.minor = minor;
    request.headers = response.headers = headers;
    EXPECT_EQ(request.keep_alive(), response.keep_alive());
    return request.keep_alive();
  };
  EXPECT_TRUE(alive(1, {}));
  EXPECT_FALSE(alive(1, make({{"Connection", "Close"}})));
  EXPECT_FALSE(alive(1, make({{"Connection", "keep-alive"}, {"Connection", "x, close"}})));
  EXPECT_FALSE(alive(0, {}));
  EXPECT_TRUE(alive(0, make({{"connection", "Keep-Alive"}})));
  EXPECT_FALSE(alive(0, make({{"Connection", "keep-alive, close"}})));
}

TEST(RemoveHopByHop, DropsTheFixedNamesInAnyCase) {
  auto h = make({{"connection", ""},
                 {"Keep-Alive", "timeout=5"},
                 {"Proxy-Authenticate", "Basic"},
                 {"Proxy-Authorization", "Basic eA=="},
                 {"proxy-connection", "keep-alive"},
                 {"TE", "trailers"},
                 {"Trailer", "X-Sum"},
                 {"TRANSFER-ENCODING", "chunked"},
                 {"Upgrade", "h2c"},
                 {"Accept", "*/*"}});
  remove_hop_by_hop(h);
  EXPECT_THAT(names(h), ::testing::ElementsAre("Accept"));
}

TEST(RemoveHopByHop, DropsWhatConnectionNamesInAllItsLines) {
  auto h = make({{"HTTP2-Settings", "AAMAAABkAAQAAP__"},
                 {"Connection", "Upgrade, HTTP2-Settings"},
                 {"connection", "my-hop"},
                 {"My-Hop", "1"},
                 {"My-Hop-Too", "2"}});
  remove_hop_by_hop(h);
  EXPECT_THAT(names(h), ::testing::ElementsAre("My-Hop-Too"));
}

TEST(RemoveHopByHop, ConnectionCannotDeleteWhatIdentifiesOrFramesAMessage) {
  const std::vector<std::string> kept = {"Host",
                                         "Authorization",
                                         "content-length",
                                         "Content-Type",
                                         "X-Claude-Code-Session-Id",
                                         "X-Api-Key",
                                         "X-data-parallel-rank",
                                         "session-id",
                                         "session_id",
                                         "thread-id",
                                         "anthropic-version",
                                         "OpenAI-Organization"};
  Headers h;
  for (const auto& name : kept) {
    h.add(name, "v");
    h.add("Connection", name);
  }
  remove_hop_by_hop(h);
  EXPECT_EQ(names(h), kept);
}

TEST(ReasonPhrase, IsEmptyForAnUnknownStatus) {
  EXPECT_EQ(reason_phrase(404), "Not Found");
  EXPECT_EQ(reason_phrase(529), "Overloaded");
  EXPECT_EQ(reason_phrase(299), "");
}

}  // namespace
}  // namespace lmw::wire
