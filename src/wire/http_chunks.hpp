// Bodies in chunked framing (RFC 9112 §7.1). Part of http_reader; nothing else needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "wire/http_lines.hpp"
#include "wire/http_reader.hpp"

namespace lmw::wire {

// Decodes one body. Chunk extensions are skipped, at most 256 bytes with their size; trailers are checked and
// dropped, within the limits of a head.
class ChunkDecoder {
 public:
  explicit ChunkDecoder(HeadLimits trailer_limits);

  // As HttpReader::feed: stops behind the blank line that ends the body.
  std::expected<std::size_t, ReadFault> feed(std::string_view bytes, std::string& body);
  bool done() const { return phase_ == Phase::done; }

 private:
  enum class Phase { size, data, data_cr, data_lf, trailers, done };

  std::expected<std::size_t, ReadFault> step(std::string_view bytes, std::string& body);
  std::size_t take_data(std::string_view bytes, std::string& body);
  std::expected<std::size_t, ReadFault> take_line(std::string_view bytes);
  std::expected<void, ReadFault> accept_size(std::string_view line);
  std::expected<void, ReadFault> accept_trailer(std::string_view line);
  void expect_size();

  HeadLimits trailer_limits_;
  HttpLines lines_;
  Phase phase_ = Phase::size;
  std::uint64_t left_in_chunk_ = 0;
  std::size_t trailers_ = 0;
};

}  // namespace lmw::wire
