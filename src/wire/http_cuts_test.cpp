// However the bytes are cut, the reader gives the same messages and the same faults.
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "wire/http_reading.hpp"

namespace lmw::wire {
namespace {

using testing::read;
using Kind = HttpReader::Kind;

struct Sample {
  Kind kind;
  std::string_view bytes;
  std::size_t messages;
};

constexpr Sample samples[] = {
    {Kind::request,
     "\r\nPOST http://h/v1?b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe\r\n\n"
     "GET /2 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
     2},
    {Kind::request,
     "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
     "3\r\n\r\n0\r\nB;e=1\r\nhello world\r\n0\r\nT: 1\r\n\r\nGET / HTTP/1.1\r\nHost: b\r\n\r\n",
     2},
    {Kind::response,
     "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
     "9\r\ndata: 1\n\n\r\n0\r\n\r\nHTTP/1.1 204 X\r\n\r\n",
     2},
    {Kind::response,
     "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nabcHTTP/1.0 200 OK\r\n\r\nto the end", 2},
};

constexpr HeadLimits limits{.bytes = 120, .count = 4};

std::vector<std::string_view> single_bytes(std::string_view bytes) {
  std::vector<std::string_view> pieces;
  pieces.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) pieces.push_back(bytes.substr(i, 1));
  return pieces;
}

TEST(HttpCuts, SingleBytesGiveWhatTheWholeGives) {
  for (const auto& sample : samples) {
    const auto whole = read(sample.kind, {sample.bytes}, limits);
    ASSERT_EQ(whole.messages.size(), sample.messages) << sample.bytes;
    ASSERT_EQ(whole.fault, std::nullopt) << sample.bytes;
    EXPECT_EQ(read(sample.kind, single_bytes(sample.bytes), limits), whole) << sample.bytes;
    EXPECT_EQ(read(sample.kind, single_bytes(sample.bytes), limits, true), whole) << sample.bytes;
  }
}

TEST(HttpCuts, AnyTwoCutsGiveWhatTheWholeGives) {
  for (const auto& [kind, bytes, messages] : samples) {
    const auto whole = read(kind, {bytes}, limits);
    for (std::size_t i = 0; i <= bytes.size(); ++i)
      for (std::size_t j = i; j <= bytes.size(); ++j)
        ASSERT_EQ(read(kind, {bytes.substr(0, i), bytes.substr(i, j - i), bytes.substr(j)}, limits), whole)
            << bytes << "\ncut at " << i << " and " << j;
  }
}

// Replaces, drops or doubles a few bytes, with those that framing is made of.
std::string damaged(std::string_view bytes, Random& random) {
  using namespace std::string_view_literals;
  constexpr auto framing = "\r\n \t:;,0159aF\0\x7f"sv;
  std::string result(bytes);
  for (auto left = random.between(1, 3); left > 0; --left) {
    const auto at = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(result.size()) - 1));
    const auto with =
        framing[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(framing.size()) - 1))];
    switch (random.between(0, 2)) {
      case 0:
        result[at] = with;
        break;
      case 1:
        result.erase(at, 1);
        break;
      default:
        result.insert(at, 1, with);
    }
  }
  return result;
}

TEST(HttpCuts, DamagedMessagesHaveTheSameFaultHoweverTheyAreCut) {
  std::size_t faults = 0, sound = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Random random(seed);
    const auto& sample = samples[seed % std::size(samples)];
    const auto bytes = damaged(sample.bytes, random);
    const auto whole = read(sample.kind, {bytes}, limits);
    const auto cut = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(bytes.size())));
    const std::string_view view = bytes;
    ASSERT_EQ(read(sample.kind, single_bytes(bytes), limits), whole) << "seed " << seed << "\n" << bytes;
    ASSERT_EQ(read(sample.kind, {view.substr(0, cut), view.substr(cut)}, limits), whole)
        << "seed " << seed << " cut at " << cut << "\n"
        << bytes;
    ++(whole.fault ? faults : sound);
  }
  EXPECT_GT(faults, 400u);  // the damage is neither all harmless nor all fatal, else this would show nothing
  EXPECT_GT(sound, 400u);
}

}  // namespace
}  // namespace lmw::wire
