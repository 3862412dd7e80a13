#include "wire/http_chunks.hpp"

#include <algorithm>

#include "wire/http_head.hpp"

namespace lmw::wire {
namespace {

constexpr std::size_t size_line_bytes = 256;

constexpr auto bad_framing = std::unexpected(ReadFault::bad_framing);

}  // namespace

ChunkDecoder::ChunkDecoder(HeadLimits trailer_limits) : trailer_limits_(trailer_limits) { expect_size(); }

std::expected<std::size_t, ReadFault> ChunkDecoder::feed(std::string_view bytes, std::string& body) {
  std::size_t taken = 0;
  while (taken < bytes.size() && !done()) {
    const auto more = step(bytes.substr(taken), body);
    if (!more) return more;
    taken += *more;
  }
  return taken;
}

std::expected<std::size_t, ReadFault> ChunkDecoder::step(std::string_view bytes, std::string& body) {
  switch (phase_) {
    case Phase::size:
    case Phase::trailers:
      return take_line(bytes);
    case Phase::data:
      return take_data(bytes, body);
    case Phase::data_cr:
      if (bytes[0] != '\r') return bad_framing;
      phase_ = Phase::data_lf;
      return 1;
    case Phase::data_lf:
      if (bytes[0] != '\n') return bad_framing;
      expect_size();
      return 1;
    case Phase::done:
      break;
  }
  return 0;
}

std::size_t ChunkDecoder::take_data(std::string_view bytes, std::string& body) {
  const auto data = bytes.substr(0, std::min<std::uint64_t>(left_in_chunk_, bytes.size()));
  body.append(data);
  left_in_chunk_ -= data.size();
  if (left_in_chunk_ == 0) phase_ = Phase::data_cr;
  return data.size();
}

std::expected<std::size_t, ReadFault> ChunkDecoder::take_line(std::string_view bytes) {
  const auto taken = lines_.feed(bytes);
  if (!taken || !lines_.complete()) return taken;
  const auto accepted = phase_ == Phase::size ? accept_size(lines_.line()) : accept_trailer(lines_.line());
  if (!accepted) return std::unexpected(accepted.error());
  lines_.next();
  return taken;
}

// 1*HEXDIG [ ";" extensions ]. Whitespace before the semicolon is "bad" in the RFC's own words: refused.
std::expected<void, ReadFault> ChunkDecoder::accept_size(std::string_view line) {
  const auto size = parse_size(line.substr(0, line.find(';')), 16);
  if (!size) return bad_framing;
  left_in_chunk_ = *size;
  if (left_in_chunk_ > 0) {
    phase_ = Phase::data;
  } else {
    phase_ = Phase::trailers;
    lines_.start(trailer_limits_.bytes, ReadFault::head_too_large);
  }
  return {};
}

std::expected<void, ReadFault> ChunkDecoder::accept_trailer(std::string_view line) {
  if (line.empty()) {
    phase_ = Phase::done;
    return {};
  }
  if (++trailers_ > trailer_limits_.count) return std::unexpected(ReadFault::head_too_large);
  Headers dropped;
  return parse_header_line(line, dropped);
}

void ChunkDecoder::expect_size() {
  phase_ = Phase::size;
  lines_.start(size_line_bytes, ReadFault::bad_framing);
}

}  // namespace lmw::wire
