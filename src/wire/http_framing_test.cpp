// What the reader refuses: framing that two readers could understand differently, and more than the limits.
#include <gtest/gtest.h>

#include "wire/http_reading.hpp"

namespace lmw::wire {
namespace {

using testing::read_requests;
using testing::read_responses;
using namespace std::string_literals;

std::string visible(std::string_view bytes) { return ::testing::PrintToString(std::string(bytes)); }

void expect_bad(const testing::Reading& reading, std::string_view bytes) {
  EXPECT_EQ(reading.fault, ReadFault::bad_framing) << visible(bytes);
  EXPECT_TRUE(reading.messages.empty()) << visible(bytes);
}

// Everything is there but the framing headers; the body suits all of them.
void expect_bad_framing_headers(const std::string& headers) {
  const std::string body = "5\r\nhello\r\n0\r\n\r\n";
  const auto request = "POST / HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n" + body;
  expect_bad(read_requests(request), request);
  const auto response = "HTTP/1.1 200 OK\r\n" + headers + "\r\n" + body;
  expect_bad(read_responses(response), response);
}

void expect_bad_header_line(const std::string& line) {
  const auto request = "GET / HTTP/1.1\r\nHost: a\r\n" + line + "\r\nA: b\r\n\r\n";
  expect_bad(read_requests(request), request);
}

void expect_bad_request_line(const std::string& line) {
  const auto request = line + "\r\nHost: a\r\n\r\n";
  expect_bad(read_requests(request), request);
}

void expect_bad_status_line(const std::string& line) {
  const auto response = line + "\r\nContent-Length: 0\r\n\r\n";
  expect_bad(read_responses(response), response);
}

void expect_bad_chunks(const std::string& chunks) {
  const auto request = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks;
  expect_bad(read_requests(request), request);
}

TEST(HttpFraming, LengthTogetherWithTransferEncodingIsRefused) {
  expect_bad_framing_headers("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n");
  expect_bad_framing_headers("Transfer-Encoding: chunked\r\ncontent-length: 15\r\n");
}

TEST(HttpFraming, TwoLengthsAreRefusedEvenWhenEqual) {
  expect_bad_framing_headers("Content-Length: 5\r\nContent-Length: 6\r\n");
  expect_bad_framing_headers("Content-Length: 5\r\nCONTENT-LENGTH: 5\r\n");
  expect_bad_framing_headers("Content-Length: 5, 5\r\n");
  expect_bad_framing_headers("Content-Length: 5,\r\n");
}

TEST(HttpFraming, ALengthThatIsNotPlainDigitsIsRefused) {
  for (const auto* length : {"", " ", "+5", "-5", "-0", "0x5", "5.0", "5 5", "5a", "a", "1e1", "\"5\"", "٥"})
    expect_bad_framing_headers("Content-Length: "s + length + "\r\n");
}

TEST(HttpFraming, ALengthThatOverflowsIsRefused) {
  expect_bad_framing_headers("Content-Length: 18446744073709551616\r\n");
  expect_bad_framing_headers("Content-Length: " + std::string(100, '9') + "\r\n");
}

TEST(HttpFraming, ATransferCodingOtherThanExactlyChunkedIsRefused) {
  for (const auto* coding :
       {"", " ", " gzip", " identity", " gzip, chunked", " chunked, gzip", " chunked, chunked", " chunked,",
        " ,chunked", " chunked\t", " chunked ", "\tchunked", "  chunked", " \"chunked\"", " chunked;q=1",
        " xchunked", " chunked\xa0"})
    expect_bad_framing_headers("Transfer-Encoding:"s + coding + "\r\n");
}

TEST(HttpFraming, TwoTransferEncodingsAreRefused) {
  expect_bad_framing_headers("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n");
  expect_bad_framing_headers("Transfer-Encoding: chunked\r\ntransfer-encoding: identity\r\n");
}

TEST(HttpFraming, ATransferEncodingInHttp10IsRefused) {
  const auto request = "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  expect_bad(read_requests(request), request);
  const auto response = "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  expect_bad(read_responses(response), response);
}

TEST(HttpFraming, AmbiguousFramingIsRefusedEvenWhereThereIsNoBody) {
  const auto response = "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n";
  expect_bad(read_responses(response), response);
}

TEST(HttpFraming, ABareLineFeedEndsNoLine) {
  for (const auto* request : {"GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\n\r\n",
                              "GET / HTTP/1.1\r\nHost: a\r\n\n", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"})
    expect_bad(read_requests(request), request);
}

TEST(HttpFraming, ALoneCarriageReturnIsRefused) {
  for (const auto* request : {"GET / HTTP/1.1\rHost: a\r\r", "GET / HTTP/1.1\r\nHost: a\rB: c\r\n\r\n",
                              "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n", "\rGET / HTTP/1.1\r\nHost: a\r\n\r\n"})
    expect_bad(read_requests(request), request);
}

TEST(HttpFraming, AFoldedHeaderIsRefused) {
  expect_bad_header_line("X: a\r\n b");
  expect_bad_header_line("X: a\r\n\tTransfer-Encoding: chunked");
  const auto first = "GET / HTTP/1.1\r\n Host: a\r\n\r\n";
  expect_bad(read_requests(first), first);
}

TEST(HttpFraming, WhitespaceBeforeTheColonIsRefused) {
  expect_bad_header_line("Content-Length : 5");
  expect_bad_header_line("Content-Length\t: 5");
}

TEST(HttpFraming, AHeaderNameThatIsNotATokenIsRefused) {
  for (const auto* line : {": a", "no colon", "a b: c", "a(: c", "a\"b: c", "a/b: c", "a@b: c", "a[b]: c",
                           "a{b: c", "a,b: c", "\xc3\xa4: c", "a\\b: c", ":"})
    expect_bad_header_line(line);
}

TEST(HttpFraming, EveryTokenCharacterMayBeInAName) {
  EXPECT_EQ(read_requests("GET / HTTP/1.1\r\nHost: a\r\n!#$%&'*+-.^_`|~09azAZ: x\r\n\r\n").messages.size(),
            1u);
}

TEST(HttpFraming, ControlCharactersAreRefusedWhereverTheyAreInAHead) {
  for (int c = 0; c < 0x80; ++c) {
    if ((c >= 0x20 && c < 0x7f) || c == '\t') continue;
    const std::string control(1, static_cast<char>(c));
    expect_bad_header_line("X: a" + control + "b");
    expect_bad_header_line("X" + control + ": b");
    expect_bad_request_line("GET /" + control + " HTTP/1.1");
    expect_bad_status_line("HTTP/1.1 200 O" + control + "K");
  }
}

TEST(HttpFraming, ARequestLineHasThreePartsWithOneSpaceBetween) {
  for (const auto* line : {"GET", "GET /", "GET HTTP/1.1", "GET / HTTP/1.1 ", " GET / HTTP/1.1",
                           "GET  / HTTP/1.1", "GET /  HTTP/1.1", "GET / x HTTP/1.1", "GET\t/\tHTTP/1.1",
                           "GET\t/ HTTP/1.1", "G(T / HTTP/1.1", " / HTTP/1.1", "GET  HTTP/1.1"})
    expect_bad_request_line(line);
}

TEST(HttpFraming, ATargetThatIsNoPathOrUrlIsRefused) {
  for (const auto* target : {"x", "?q", "host:443", "ftp://a/", "http:/a", "http://", "http:///x",
                             "http://u@a/", "/a#b", "/\xc3\xa4", "*"})
    expect_bad_request_line("GET "s + target + " HTTP/1.1");
  expect_bad_request_line("CONNECT a:443 HTTP/1.1");
}

TEST(HttpFraming, AVersionThatIsNotOneIsRefused) {
  for (const auto* version : {"http/1.1", "HTTP/1", "HTTP/1.", "HTTP/1.10", "HTTP/11", "HTTP/a.b", "HTTP-1.1",
                              "HTTPS/1.1", "HTTP/1,1"})
    expect_bad_request_line("GET / "s + version);
}

TEST(HttpFraming, AnotherVersionIsAFaultOfItsOwn) {
  for (const std::string version : {"HTTP/0.9", "HTTP/1.2", "HTTP/2.0", "HTTP/9.9"}) {
    EXPECT_EQ(read_requests("GET / " + version + "\r\nHost: a\r\n\r\n").fault, ReadFault::version) << version;
    EXPECT_EQ(read_responses(version + " 200 OK\r\n\r\n").fault, ReadFault::version) << version;
  }
  EXPECT_EQ(read_requests("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").fault, ReadFault::version);
}

TEST(HttpFraming, HostIsThereOnce) {
  for (const auto* request :
       {"GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n",
        "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", "GET http://a/ HTTP/1.1\r\n\r\n"})
    expect_bad(read_requests(request), request);
}

TEST(HttpFraming, AMalformedStatusLineIsRefused) {
  for (const auto* line : {"HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000 OK", "HTTP/1.1  200 OK",
                           "HTTP/1.1 20x OK", "HTTP/1.1 099 OK", "HTTP/1.1 600 OK", "HTTP/1.1 -20 OK",
                           "HTTP/1.1\t200 OK", "HTTP/1.1 200\tOK", "ICY 200 OK", ""})
    expect_bad_status_line(line);
}

TEST(HttpFraming, ABadChunkSizeIsRefused) {
  for (const auto* size : {"", ";x", "g", "-1", "+1", "0x1", "1 ", " 1", "1\t", "1 ;x", "1g", "1,1",
                           "10000000000000000", "FFFFFFFFFFFFFFFFF"})
    expect_bad_chunks(size + "\r\nx\r\n0\r\n\r\n"s);
}

TEST(HttpFraming, AChunkLineEndsWithCrLfAndSoDoesItsData) {
  for (const auto* chunks :
       {"1\nx\r\n0\r\n\r\n", "1\rx\r\n0\r\n\r\n", "1;a\nb\r\nx\r\n0\r\n\r\n", "1\r\nx\n0\r\n\r\n",
        "1\r\nx\r0\r\n\r\n", "1\r\nxy\r\n0\r\n\r\n", "1\r\nxy\n0\r\n\r\n", "1\r\nx\ry0\r\n\r\n",
        "1\r\nx0\r\n\r\n", "2\r\nx\r\n0\r\n\r\n", "0\n\n", "0\r\n\n"})
    expect_bad_chunks(chunks);
}

TEST(HttpFraming, ATrailerIsAsStrictAsAHeader) {
  for (const auto* trailer : {"no colon", " a: b", "a : b", "a: b\x01", ": b", "a: b\nc: d"})
    expect_bad_chunks("0\r\n"s + trailer + "\r\n\r\n");
}

TEST(HttpFraming, JunkIsRefusedAtItsFirstControlCharacter) {
  expect_bad(read_requests("\x16\x03\x01\x02"), "a TLS hello");
  expect_bad(read_requests("\0\0\0"s), "NULs");
  expect_bad(read_responses("SSH-2.0-OpenSSH_9.2\r\n"), "SSH");
}

TEST(HttpLimits, AHeadOfExactlyTheLimitIsRead) {
  const std::string head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(read_requests(head, {.bytes = head.size()}).messages.size(), 1u);
  EXPECT_EQ(read_requests(head, {.bytes = head.size() - 1}).fault, ReadFault::head_too_large);
}

TEST(HttpLimits, AHeadThatNeverEndsIsRefusedAtTheLimit) {
  const HeadLimits limits{.bytes = 100};
  EXPECT_EQ(read_requests(std::string(100, 'G'), limits).fault, ReadFault::cut_short);  // still within it
  EXPECT_EQ(read_requests(std::string(101, 'G'), limits).fault, ReadFault::head_too_large);
  const auto header = "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(100, 'x');
  EXPECT_EQ(read_requests(header, limits).fault, ReadFault::head_too_large);
}

TEST(HttpLimits, HeaderLinesAreCounted) {
  const std::string head = "GET / HTTP/1.1\r\nHost: a\r\nB: b\r\nC: c\r\n";
  EXPECT_EQ(read_requests(head + "\r\n", {.count = 3}).messages.size(), 1u);
  EXPECT_EQ(read_requests(head, {.count = 2}).fault,
            ReadFault::head_too_large);  // before the head is complete
}

TEST(HttpLimits, EachMessageOfAConnectionHasThemAnew) {
  const std::string head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(read_requests(head + head + head, {.bytes = head.size(), .count = 1}).messages.size(), 3u);
}

TEST(HttpLimits, TheBodyIsNotCounted) {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n";
  EXPECT_EQ(read_requests(head + std::string(1000, '\n'), {.bytes = head.size()}).messages.size(), 1u);
}

TEST(HttpLimits, InterimResponsesShareThemWithTheFinalOne) {
  std::string interims;
  for (int i = 0; i < 10; ++i) interims += "HTTP/1.1 100 Continue\r\nA: b\r\n\r\n";
  const auto all = interims + "HTTP/1.1 204 No Content\r\n\r\n";
  EXPECT_EQ(read_responses(all, {.bytes = all.size(), .count = 10}).messages.size(), 1u);
  EXPECT_EQ(read_responses(all, {.bytes = all.size() - 1}).fault, ReadFault::head_too_large);
  EXPECT_EQ(read_responses(all, {.count = 9}).fault, ReadFault::head_too_large);
}

TEST(HttpLimits, TrailersAreBoundAsAHeadIs) {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
  const std::string trailers = "A: b\r\nC: d\r\nE: f\r\n";
  EXPECT_EQ(read_requests(head + trailers + "\r\n", {.count = 3}).messages.size(), 1u);
  EXPECT_EQ(read_requests(head + trailers + "G: h\r\n", {.count = 3}).fault, ReadFault::head_too_large);
  EXPECT_EQ(read_requests(head + "X: " + std::string(100, 'x'), {.bytes = 100}).fault,
            ReadFault::head_too_large);
}

TEST(HttpLimits, AChunkSizeLineIsBound) {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string rest = "\r\nx\r\n0\r\n\r\n";
  EXPECT_EQ(read_requests(head + "1;" + std::string(252, 'e') + rest).messages.size(), 1u);
  expect_bad_chunks("1;" + std::string(253, 'e') + rest);
  expect_bad_chunks(std::string(257, '0'));
}

}  // namespace
}  // namespace lmw::wire
