#include "wire/http_writer.hpp"

#include <cstdint>

#include <gtest/gtest.h>

#include "wire/http_reading.hpp"

namespace lmw::wire {
namespace {

ResponseHead response(int status, std::string_view reason) {
  ResponseHead head;
  head.status = status;
  head.reason = reason;
  return head;
}

TEST(Serialize, WritesARequestHeadByteForByte) {
  RequestHead head;
  head.method = "POST";
  head.target = "/v1/messages?beta=true";
  head.headers.add("Host", "engine:8000");
  head.headers.add("x-empty", "");
  EXPECT_EQ(serialize(head),
            "POST /v1/messages?beta=true HTTP/1.1\r\nHost: engine:8000\r\nx-empty: \r\n\r\n");
}

TEST(Serialize, WritesAResponseHeadByteForByte) {
  auto head = response(404, "Not Found");
  head.minor = 0;
  head.headers.add("Set-Cookie", "a=1");
  head.headers.add("Set-Cookie", "b=2");
  EXPECT_EQ(serialize(head), "HTTP/1.0 404 Not Found\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n");
}

TEST(Serialize, KeepsTheSpaceBeforeAnEmptyReason) {
  EXPECT_EQ(serialize(response(200, "")), "HTTP/1.1 200 \r\n\r\n");
}

TEST(ChunkPrefix, IsTheSizeInHexadecimal) {
  EXPECT_EQ(chunk_prefix(1), "1\r\n");
  EXPECT_EQ(chunk_prefix(26), "1a\r\n");
  EXPECT_EQ(chunk_prefix(SIZE_MAX), "ffffffffffffffff\r\n");
}

TEST(ChunkPrefix, WhatIsWrittenIsReadBack) {
  auto head = response(200, "OK");
  head.headers.add("Transfer-Encoding", "chunked");
  std::string wire = serialize(head);
  const std::string big(70'000, 'x');
  for (const std::string_view chunk : {std::string_view("data: 1\n\n"), std::string_view(big)})
    wire.append(chunk_prefix(chunk.size())).append(chunk).append(chunk_suffix);
  wire.append(last_chunk);

  const auto reading = testing::read_responses(wire);
  ASSERT_EQ(reading.messages.size(), 1u);
  EXPECT_EQ(reading.messages[0].head, serialize(head));
  EXPECT_EQ(reading.messages[0].body, "data: 1\n\n" + big);
}

}  // namespace
}  // namespace lmw::wire
