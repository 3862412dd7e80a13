// What the reader accepts, and when it says what. What it refuses: http_framing_test. Cuts: http_cuts_test.
#include "wire/http_reader.hpp"

#include <gtest/gtest.h>

#include "wire/http_reading.hpp"

namespace lmw::wire {
namespace {

using testing::read_requests;
using testing::read_responses;
using Kind = HttpReader::Kind;

// Feeds the head, and what comes behind it in the same bytes as the body.
struct Fed {
  HttpReader reader;
  std::string body;
  std::string_view left;  // behind the head, not taken

  Fed(Kind kind, std::string_view bytes) : reader(kind, {}) {
    const auto taken = reader.feed(bytes, body);
    EXPECT_TRUE(taken.has_value());
    left = bytes.substr(taken.value_or(0));
  }
};

TEST(HttpReader, ReadsARequestWithABody) {
  Fed fed(Kind::request,
          "POST /v1/messages?beta=true HTTP/1.1\r\nHost: a:1\r\nX-Tab:\t\"a\tb\" \t\r\nUtf: \xc3\xa4\r\n"
          "content-length: 5\r\n\r\nhello");
  ASSERT_TRUE(fed.reader.head_done());
  EXPECT_FALSE(fed.reader.done());
  EXPECT_EQ(fed.left, "hello");  // stops behind the head, so that the caller can decide about the body
  EXPECT_EQ(fed.reader.content_length(), 5u);
  EXPECT_FALSE(fed.reader.until_close());

  auto& head = fed.reader.request();
  EXPECT_EQ(head.method, "POST");
  EXPECT_EQ(head.target, "/v1/messages?beta=true");
  EXPECT_EQ(head.minor, 1);
  EXPECT_EQ(head.headers.find("x-tab"), "\"a\tb\"");
  EXPECT_EQ(head.headers.find("utf"), "\xc3\xa4");
  EXPECT_EQ(head.headers.size(), 4u);

  EXPECT_EQ(fed.reader.feed(fed.left, fed.body), 5u);
  EXPECT_TRUE(fed.reader.done());
  EXPECT_EQ(fed.body, "hello");
}

TEST(HttpReader, TheHeadMayBeMovedAwayBeforeTheBody) {
  Fed fed(Kind::request,
          "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n");
  const auto head = std::move(fed.reader.request());
  EXPECT_EQ(head.method, "POST");
  EXPECT_EQ(fed.reader.feed(fed.left, fed.body), fed.left.size());
  EXPECT_TRUE(fed.reader.done());
  EXPECT_EQ(fed.body, "hi");
}

TEST(HttpReader, ARequestWithoutFramingHasNoBody) {
  Fed fed(Kind::request, "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET");
  EXPECT_TRUE(fed.reader.done());
  EXPECT_EQ(fed.reader.content_length(), 0u);
  EXPECT_EQ(fed.reader.feed(fed.left, fed.body), 0u);  // the next message's
}

TEST(HttpReader, ReadsChunksWithExtensionsAndDropsTrailers) {
  const auto reading = read_requests(
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "5\r\nhello\r\n00A;name=\"v\"; x\r\n0123456789\r\n1;\r\n\r\r\n000;last\r\nX-Sum: 1\r\nX-More:\r\n\r\n");
  ASSERT_EQ(reading.messages.size(), 1u);
  EXPECT_EQ(reading.messages[0].body, "hello0123456789\r");
  EXPECT_FALSE(reading.messages[0].head.contains("X-Sum"));
}

TEST(HttpReader, PipelinedMessagesAreReadOneByOne) {
  const auto reading = read_requests(
      "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"
      "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
      "POST /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
      "GET /4 HTTP/1.0\r\n\r\n");
  ASSERT_EQ(reading.messages.size(), 4u);
  EXPECT_EQ(reading.messages[0].body, "hi");
  EXPECT_EQ(reading.messages[1].body, "");
  EXPECT_EQ(reading.messages[2].body, "x");
  EXPECT_EQ(reading.messages[3].head, "GET /4 HTTP/1.0\r\n\r\n");
  EXPECT_EQ(reading.fault, std::nullopt);
}

TEST(HttpReader, AFewEmptyLinesBeforeARequestAreSkipped) {
  const std::string request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(read_requests("\r\n\r\n\r\n\r\n" + request).messages.size(), 1u);
  EXPECT_EQ(read_requests("\r\n\r\n\r\n\r\n\r\n" + request).fault, ReadFault::bad_framing);
  EXPECT_EQ(read_responses("\r\nHTTP/1.1 204 No Content\r\n\r\n").fault, ReadFault::bad_framing);
}

TEST(HttpReader, AnAbsoluteTargetIsReducedAndItsAuthorityIsTheHost) {
  const auto head = [](std::string_view target) {
    Fed fed(Kind::request, "GET " + std::string(target) + " HTTP/1.1\r\nHost: other\r\n\r\n");
    return fed.reader.request().target + " of " + std::string(*fed.reader.request().headers.find("host"));
  };
  EXPECT_EQ(head("http://host/path?q=/x"), "/path?q=/x of host");
  EXPECT_EQ(head("HTTPS://host:8080"), "/ of host:8080");
  EXPECT_EQ(head("http://[::1]:80?q"), "/?q of [::1]:80");
  EXPECT_EQ(head("/http://x/"), "/http://x/ of other");
}

TEST(HttpReader, AnAsteriskIsTheTargetOfOptionsOnly) {
  EXPECT_EQ(read_requests("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").messages.size(), 1u);
  EXPECT_EQ(read_requests("GET * HTTP/1.1\r\nHost: a\r\n\r\n").fault, ReadFault::bad_framing);
}

TEST(HttpReader, HostMayBeEmptyAndMissingInHttp10) {
  EXPECT_EQ(read_requests("GET / HTTP/1.1\r\nHost:\r\n\r\n").messages.size(), 1u);
  EXPECT_EQ(read_requests("GET / HTTP/1.0\r\n\r\n").messages.size(), 1u);
}

TEST(HttpReader, ReadsAResponseWithALength) {
  Fed fed(Kind::response, "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}");
  EXPECT_EQ(fed.reader.response().status, 404);
  EXPECT_EQ(fed.reader.response().reason, "Not Found");
  EXPECT_EQ(fed.reader.content_length(), 2u);
  EXPECT_EQ(fed.reader.feed(fed.left, fed.body), 2u);
  EXPECT_TRUE(fed.reader.done());
}

TEST(HttpReader, AReasonMayBeEmptyOrAbsent) {
  const std::string rest = "\r\nContent-Length: 0\r\n\r\n";
  EXPECT_EQ(read_responses("HTTP/1.1 200 " + rest).messages.size(), 1u);
  EXPECT_EQ(read_responses("HTTP/1.1 200" + rest).messages.size(), 1u);
}

TEST(HttpReader, AResponseWithoutFramingLastsUntilTheConnectionEnds) {
  Fed fed(Kind::response, "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1");
  EXPECT_TRUE(fed.reader.until_close());
  EXPECT_EQ(fed.reader.content_length(), std::nullopt);
  EXPECT_EQ(fed.reader.feed(fed.left, fed.body), fed.left.size());
  EXPECT_EQ(fed.reader.feed(" 200 OK\r\n\r\n", fed.body), 11u);
  EXPECT_FALSE(fed.reader.done());
  EXPECT_TRUE(fed.reader.finish().has_value());
  EXPECT_TRUE(fed.reader.done());
  EXPECT_EQ(fed.body, "HTTP/1.1 200 OK\r\n\r\n");
}

TEST(HttpReader, InterimResponsesAreSkipped) {
  const auto reading = read_responses(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
  ASSERT_EQ(reading.messages.size(), 1u);
  EXPECT_EQ(reading.messages[0].head, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(reading.messages[0].body, "hi");
}

TEST(HttpReader, SwitchingProtocolsIsRefusedSinceWeNeverAskForIt) {
  EXPECT_EQ(read_responses("HTTP/1.1 101 Switching Protocols\r\n\r\n").fault, ReadFault::bad_framing);
}

TEST(HttpReader, NoContentAndNotModifiedHaveNoBodyWhateverTheirHeadSays) {
  for (const std::string status : {"204", "304"})
    for (const std::string framing : {"", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"}) {
      std::string bytes = "HTTP/1.1 ";
      bytes.append(status).append(" X\r\n").append(framing).append("\r\nHTTP");
      Fed fed(Kind::response, bytes);
      EXPECT_TRUE(fed.reader.done()) << status << framing;
      EXPECT_EQ(fed.reader.content_length(), 0u);
      EXPECT_FALSE(fed.reader.until_close());
      EXPECT_EQ(fed.left.size(), 4u);
    }
}

TEST(HttpReader, TheAnswerToAHeadRequestHasNoBody) {
  const std::string_view head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
  HttpReader reader(Kind::response, {});
  std::string body;
  reader.expect_no_body();
  EXPECT_EQ(reader.feed(head, body), head.size());
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(reader.content_length(), 0u);
  EXPECT_EQ(reader.response().headers.find("content-length"), "5");

  reader.reset();  // the next answer has one
  EXPECT_EQ(reader.feed(head, body), head.size());
  EXPECT_FALSE(reader.done());
}

TEST(HttpReader, HasStartedFromTheFirstByteOfAMessage) {
  HttpReader requests(Kind::request, {});
  std::string body;
  EXPECT_FALSE(requests.started());
  EXPECT_EQ(requests.feed("\r\n", body), 2u);
  EXPECT_FALSE(requests.started());
  EXPECT_EQ(requests.feed("G", body), 1u);
  EXPECT_TRUE(requests.started());
  EXPECT_FALSE(requests.head_done());
  requests.reset();
  EXPECT_FALSE(requests.started());

  HttpReader responses(Kind::response, {});
  EXPECT_EQ(responses.feed("\r", body), 1u);
  EXPECT_TRUE(responses.started());
  responses.reset();
  EXPECT_EQ(responses.feed("HTTP/1.1 100 Continue\r\n\r\n", body), 25u);
  EXPECT_TRUE(responses.started());
  EXPECT_FALSE(responses.head_done());
}

TEST(HttpReader, TheEndOfTheConnectionInsideAMessageCutsItShort) {
  const std::string request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";
  for (std::size_t size = 1; size < request.size(); ++size)
    EXPECT_EQ(read_requests(request.substr(0, size)).fault, ReadFault::cut_short) << size;
  EXPECT_EQ(read_requests(request).fault, std::nullopt);

  const std::string response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n";
  for (std::size_t size = 1; size < response.size(); ++size)
    EXPECT_EQ(read_responses(response.substr(0, size)).fault, ReadFault::cut_short) << size;
  EXPECT_EQ(read_responses(response).fault, std::nullopt);
}

TEST(HttpReader, TheEndOfTheConnectionBetweenRequestsIsNoFaultButAMissingResponseIs) {
  HttpReader requests(Kind::request, {});
  EXPECT_TRUE(requests.finish().has_value());
  EXPECT_FALSE(requests.done());

  HttpReader responses(Kind::response, {});
  const auto finished = responses.finish();
  ASSERT_FALSE(finished.has_value());
  EXPECT_EQ(finished.error(), ReadFault::cut_short);

  std::string body;
  EXPECT_TRUE(responses.feed("HTTP/1.1 100 Continue\r\n\r\n", body).has_value());
  EXPECT_FALSE(responses.finish().has_value());
}

TEST(HttpReader, ALengthOf64BitsIsCountedNotReserved) {
  Fed fed(Kind::request, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551615\r\n\r\nx");
  EXPECT_EQ(fed.reader.content_length(), UINT64_MAX);
  EXPECT_EQ(fed.reader.feed(fed.left, fed.body), 1u);
  EXPECT_FALSE(fed.reader.done());
}

TEST(HttpReader, CanBeMoved) {
  Fed fed(Kind::request, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi");
  HttpReader moved = std::move(fed.reader);
  EXPECT_EQ(moved.feed("hi", fed.body), 2u);
  EXPECT_TRUE(moved.done());
}

}  // namespace
}  // namespace lmw::wire
