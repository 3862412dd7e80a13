// The CRLF-ended lines that HTTP heads and chunked framing are made of, cut out of a stream that arrives in
// pieces. Part of http_reader; nothing else needs it.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "wire/http_reader.hpp"

namespace lmw::wire {

// A line ends with CR LF and holds no control character but HTAB (RFC 9112 §2.2, RFC 9110 §5.5). A bare LF, a
// lone CR and a NUL are thus refused as soon as they are seen, without waiting for the end of the line.
class HttpLines {
 public:
  // At most `budget` bytes from here on, line ends included; one more is the fault `over_budget`.
  void start(std::size_t budget, ReadFault over_budget);

  // Takes bytes up to the end of the line, never past it. Call next() before going on after a complete line.
  std::expected<std::size_t, ReadFault> feed(std::string_view bytes);
  void next();

  bool complete() const { return end_ == End::crlf; }
  // Without its CRLF; what has come so far while not complete().
  std::string_view line() const { return line_; }

 private:
  enum class End { none, cr, crlf };

  std::string line_;
  End end_ = End::none;
  std::size_t budget_ = 0;
  ReadFault over_budget_ = ReadFault::bad_framing;
};

}  // namespace lmw::wire
