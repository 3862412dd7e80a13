// The encoded body of a request, as a client may send it. The first line names its codings.
#include "wire/content_coding.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "target.hpp"

namespace lmw::fuzz {
namespace {

using wire::BodyDecoder;
constexpr std::uint64_t large_limit = 64 * 1024, small_limit = 1000;

using Decoded = std::expected<std::string, BodyDecoder::Fault>;

Decoded decode(const std::vector<wire::Coding>& codings, std::string_view body, std::uint64_t limit) {
  BodyDecoder decoder(codings, std::string(body), limit);
  // A step takes or makes something, or ends a coding; nothing here is larger than one step.
  for (std::size_t steps = 0;; ++steps) {
    require(steps <= 4 * (wire::max_codings + 1), "decoding comes to an end");
    const auto done = decoder.step();
    if (!done) return std::unexpected(done.error());
    if (*done) return decoder.take();
  }
}

}  // namespace

void run(std::string_view input) {
  const auto line = std::min(input.find('\n'), input.size());
  const auto body = input.substr(std::min(line + 1, input.size()));
  wire::Headers headers;
  headers.add("Content-Encoding", input.substr(0, line));
  const auto codings = wire::content_codings(headers);
  if (!codings) return;
  require(codings->size() <= wire::max_codings, "codings are bounded");

  const auto large = decode(*codings, body, large_limit);
  const auto small = decode(*codings, body, small_limit);
  if (codings->empty()) require(large == std::string(body), "a body without a coding is as it was");
  if (!codings->empty() && large) require(large->size() <= large_limit, "a body is bounded");
  if (!codings->empty() && small) require(small->size() <= small_limit, "a body is bounded");
  if (small) require(large == small, "the limit makes no other difference");
}

}  // namespace lmw::fuzz
