#include "wire/sse.hpp"

#include <algorithm>
#include <ostream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "base/recorded.hpp"

namespace lmw::wire {
namespace {

struct Seen {
  std::string name;
  std::string data;
  std::string raw;
  bool overlong = false;
  friend bool operator==(const Seen&, const Seen&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Seen& seen) {
    return out << "[" << seen.name << "|" << seen.data << "|" << testing::PrintToString(seen.raw) << "]";
  }
};

struct Outcome {
  std::vector<Seen> items;
  std::string rest;
  bool between = true;
  friend bool operator==(const Outcome&, const Outcome&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
    return out << testing::PrintToString(outcome.items) << " rest " << testing::PrintToString(outcome.rest);
  }

  std::string bytes() const {
    std::string all;
    for (const Seen& item : items) all += item.raw;
    return all + rest;
  }
};

void drain(SseSplitter& splitter, Outcome& outcome) {
  while (const auto item = splitter.next()) {
    outcome.items.push_back({std::string(item->event.name), std::string(item->event.data),
                             std::string(item->event.raw), item->overlong});
  }
}

Outcome split(const std::vector<std::string_view>& pieces, std::size_t limit = 1000) {
  SseSplitter splitter(limit);
  Outcome outcome;
  for (const auto piece : pieces) {
    // A copy that is gone right away: nothing may point into it later.
    splitter.feed(std::string(piece));
    drain(splitter, outcome);
  }
  splitter.finish();
  drain(splitter, outcome);
  outcome.rest = splitter.rest();
  outcome.between = splitter.between_events();
  return outcome;
}

std::vector<std::string_view> in_pieces_of(std::string_view text, std::size_t size) {
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0; at < text.size(); at += size) pieces.push_back(text.substr(at, size));
  return pieces;
}

const std::vector<std::string> streams = {
    "data: {\"a\":1}\n\ndata:b\n\n",
    "data:{\"a\":1}\r\n\r\n\r\ndata:2\r\n\r\n",
    "data:x\rdata:y\r\rdata:z\r\r",
    "data: mixed\r\n\rdata: a\n\r\ndata: b\r\n\ndata: c\r\r\n\n\r",
    ": ping\n\n: ping\r\n\r\nevent: ping\n\n",
    "\xef\xbb\xbf"
    "data: bom\n\n\xef\xbb\xbf"
    "data: none\n\n",
    "\xef\xbb\xbf\n\xef\xbb\xbf\n\ndata\n\n",
    "\xef\xbb\xbf\r\n",
    "event: message_delta\r\ndata: {\r\ndata:  }\r\ndata\r\nid: 7\r\nretry: 1\r\n\r\n",
    "data: \xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x98\x80\n\n",
    "\n\n\r\r\r\n\r\n",
    "data: tail without end\nda",
    "data: tail\r",
    "",
};

TEST(SseSplitter, KeepsEveryByteWhateverTheCuts) {
  for (const std::string& stream : streams) {
    for (const std::size_t limit : {1000, 16, 7, 1}) {
      const Outcome whole = split({stream}, limit);
      EXPECT_EQ(whole.bytes(), stream);
      EXPECT_EQ(split(in_pieces_of(stream, 1), limit), whole);
      const std::string_view text = stream;
      for (std::size_t a = 0; a <= text.size(); ++a) {
        for (std::size_t b = a; b <= text.size(); ++b) {
          ASSERT_EQ(split({text.substr(0, a), text.substr(a, b - a), text.substr(b)}, limit), whole)
              << testing::PrintToString(stream) << " cut at " << a << " and " << b << ", limit " << limit;
        }
      }
    }
  }
}

TEST(SseSplitter, AgreesWithItselfOnRandomStreams) {
  Random random(11);
  constexpr std::string_view alphabet = "\r\r\n\n\nda:ta: \xef\xbb\xbf";
  for (int round = 0; round < 3000; ++round) {
    std::string stream;
    for (int i = 0; i < 40; ++i)
      stream += alphabet[static_cast<std::size_t>(random.between(0, std::ssize(alphabet) - 1))];
    const auto limit = static_cast<std::size_t>(random.between(1, 30));
    const Outcome whole = split({stream}, limit);
    ASSERT_EQ(whole.bytes(), stream);
    ASSERT_EQ(split(in_pieces_of(stream, 1), limit), whole) << testing::PrintToString(stream);
  }
}

TEST(SseSplitter, ReadsFieldsAsTheStandardSays) {
  EXPECT_EQ(split({"event: a\nevent:b\ndata: 1\ndata:  2\ndata\nid: 9\n: no\nDATA: no\ndata2: no\n\n"})
                .items[0]
                .name,
            "b");
  EXPECT_EQ(split({"event: a\nevent:b\ndata: 1\ndata:  2\ndata\nid: 9\n: no\nDATA: no\ndata2: no\n\n"})
                .items[0]
                .data,
            "1\n 2\n");
  EXPECT_EQ(split({": ping\n\n"}).items, (std::vector<Seen>{{"", "", ": ping\n\n"}}));
  EXPECT_EQ(split({"data:a:b\n\n"}).items[0].data, "a:b");
}

TEST(SseSplitter, EndsLinesAtLfCrLfAndLoneCr) {
  EXPECT_EQ(split({"data:x\rdata:y\r\rdata:z\n\n"}).items,
            (std::vector<Seen>{{"", "x\ny", "data:x\rdata:y\r\r"}, {"", "z", "data:z\n\n"}}));
  EXPECT_EQ(split({"event: a\r\ndata: b\r\n\r\n"}).items,
            (std::vector<Seen>{{"a", "b", "event: a\r\ndata: b\r\n\r\n"}}));
}

TEST(SseSplitter, ALeadingMarkIsNoPartOfTheFirstField) {
  const auto items = split({"\xef\xbb\xbf"
                            "data: a\n\n\xef\xbb\xbf"
                            "data: b\n\n"})
                         .items;
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].data, "a");
  EXPECT_EQ(items[1].data, "") << "a mark later in the stream is";
}

TEST(SseSplitter, ABlankLineCutInsideItsLineEndGivesOneEvent) {
  SseSplitter splitter;
  splitter.feed("data: a\r\n\r");
  EXPECT_FALSE(splitter.next());
  splitter.feed("\ndata: b\r\n\r\n");
  EXPECT_EQ(splitter.next()->event.raw, "data: a\r\n\r\n");
  EXPECT_EQ(splitter.next()->event.raw, "data: b\r\n\r\n");
  EXPECT_FALSE(splitter.next());
}

TEST(SseSplitter, AnEventThatEndsInLoneCrWaitsForTheNextByteOrTheEnd) {
  SseSplitter splitter;
  splitter.feed("data: a\r\r");
  EXPECT_FALSE(splitter.next());
  splitter.feed("d");
  EXPECT_EQ(splitter.next()->event.data, "a");
  splitter.feed("ata: b\r\r");
  EXPECT_FALSE(splitter.next());
  splitter.finish();
  EXPECT_EQ(splitter.next()->event.data, "b");
  EXPECT_TRUE(splitter.between_events());
}

TEST(SseSplitter, KnowsWhetherItStandsBetweenEvents) {
  SseSplitter splitter(16);
  EXPECT_TRUE(splitter.between_events());
  splitter.feed("data: a\n");
  EXPECT_FALSE(splitter.next());
  EXPECT_FALSE(splitter.between_events());
  EXPECT_EQ(splitter.rest(), "data: a\n");
  splitter.feed("\n");
  EXPECT_TRUE(splitter.next());
  EXPECT_TRUE(splitter.between_events());
  splitter.feed(std::string(16, 'x'));
  EXPECT_TRUE(splitter.next()->overlong);
  EXPECT_TRUE(splitter.rest().empty());
  EXPECT_FALSE(splitter.between_events()) << "inside an overlong event, though nothing is held";
}

TEST(SseSplitter, AnEventOverTheLimitComesInPartsAndTheNextIsWhole) {
  const auto items = split({"data: 0123456789\n\ndata: b\n\n"}, 10).items;
  EXPECT_EQ(items,
            (std::vector<Seen>{
                {"", "", "data: 0123", true}, {"", "", "456789\n\n", true}, {"", "b", "data: b\n\n"}}));
}

TEST(SseSplitter, AnEventOfExactlyTheLimitIsWhole) {
  EXPECT_EQ(split({"data: b\n\n"}, 9).items, (std::vector<Seen>{{"", "b", "data: b\n\n"}}));
}

TEST(SseSplitter, ALineWithoutEndNeedsNoMoreMemoryThanTheLimit) {
  constexpr std::size_t limit = 256u << 10;
  constexpr std::size_t total = 64u << 20;
  SseSplitter splitter(limit);
  const std::string piece(64u << 10, 'x');
  splitter.feed("data: ");
  std::size_t passed = 0;
  for (std::size_t fed = 0; fed < total; fed += piece.size()) {
    splitter.feed(piece);
    while (const auto item = splitter.next()) {
      ASSERT_TRUE(item->overlong);
      ASSERT_LE(item->event.raw.size(), limit + 1);
      passed += item->event.raw.size();
    }
    ASSERT_LE(splitter.rest().size(), limit);
  }
  EXPECT_EQ(passed + splitter.rest().size(), total + 6);
}

TEST(SseSplitter, RecordedStreamsSplitIntoTheirEvents) {
  const std::string stream = recorded("sse-messages.txt");
  const Outcome outcome = split(in_pieces_of(stream, 100), 4096);
  EXPECT_EQ(outcome.bytes(), stream);
  ASSERT_EQ(outcome.items.size(), 9u);
  EXPECT_EQ(outcome.items.front().name, "message_start");
  EXPECT_EQ(outcome.items.back().data, R"({"type":"message_stop"})");
}

}  // namespace
}  // namespace lmw::wire
