// However a stream is cut on its way, the client gets the same bytes and the same counts are read.
#include <array>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "wire/sse.hpp"
#include "wire/usage.hpp"

namespace lmw::wire {
namespace {

struct Sample {
  std::string_view what;
  Endpoint endpoint;
  std::string_view bytes;
};

constexpr Sample samples[] = {
    {"a character of three bytes", Endpoint::chat_completions,
     "data: {\"choices\":[{\"delta\":{\"content\":\"\xe4\xb8\xad\"}}]}\n\n"
     "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1,"
     "\"prompt_tokens_details\":{\"cached_tokens\":4}}}\n\ndata: [DONE]\n\n"},
    {"CRLF, no space, a comment and a BOM", Endpoint::chat_completions,
     "\xef\xbb\xbf: ping\r\n\r\ndata:{\"choices\":[{\"delta\":{\"content\":\"\xe4\xb8\xad\"}}]}\r\n\r\n"
     "data:{\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1,"
     "\"prompt_tokens_details\":{\"cached_tokens\":4}}}\r\n\r\ndata:[DONE]\r\n\r\n"},
    {"lone CR, ids, and data of several lines", Endpoint::chat_completions,
     "id: 7\rretry: 10\rdata: {\"choices\":[{\"delta\":\rdata: {\"content\":\"\xe4\xb8\xad\"}}]}\r\r"
     "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1,\r"
     "data: \"prompt_tokens_details\":{\"cached_tokens\":4}}}\r\rdata: [DONE]\r\r"},
    {"messages", Endpoint::messages,
     "event: content_block_delta\r\ndata: {\"type\":\"content_block_delta\",\"delta\":"
     "{\"type\":\"text_delta\",\"text\":\"\xe4\xb8\xad\"}}\r\n\r\nevent: message_delta\r\n"
     "data: {\"type\":\"message_delta\",\"usage\":{\"input_tokens\":5,\"cache_read_input_tokens\":4,"
     "\"output_tokens\":1}}\r\n\r\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"},
};
constexpr Usage counts{.prompt = 9, .cached = 4, .completion = 1};

struct Passed {
  std::string bytes;
  Usage usage;
  bool content = false;
  StreamEnd end = StreamEnd::open;
  friend bool operator==(const Passed&, const Passed&) = default;
};

void pass(SseSplitter& splitter, StreamWatch& watch, Passed& passed) {
  while (const auto item = splitter.next()) {
    passed.bytes += item->event.raw;
    watch.observe(item->event);
  }
}

Passed pass(const Sample& sample, std::array<std::string_view, 3> pieces) {
  SseSplitter splitter;
  StreamWatch watch(sample.endpoint, false);
  Passed passed;
  for (const auto piece : pieces) {
    splitter.feed(piece);
    pass(splitter, watch, passed);
  }
  splitter.finish();
  pass(splitter, watch, passed);
  passed.bytes += splitter.rest();
  passed.usage = watch.usage();
  passed.content = watch.has_content();
  passed.end = watch.end();
  return passed;
}

TEST(StreamCuts, AnyTwoCutsGiveTheSameBytesAndCounts) {
  for (const auto& sample : samples) {
    const auto bytes = sample.bytes;
    const Passed whole{std::string(bytes), counts, true, StreamEnd::complete};
    for (std::size_t i = 0; i <= bytes.size(); ++i)
      for (std::size_t j = i; j <= bytes.size(); ++j)
        ASSERT_EQ(pass(sample, {bytes.substr(0, i), bytes.substr(i, j - i), bytes.substr(j)}), whole)
            << sample.what << ", cut at " << i << " and " << j;
  }
}

}  // namespace
}  // namespace lmw::wire
