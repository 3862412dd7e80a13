// Incremental readers of HTTP/1.1 messages. Fed bytes as they come, they yield the head as a value and the
// body as plain bytes (chunked framing removed). Strict, since two readers that disagree about framing are an
// attack: bare LF, obs-fold, whitespace before a colon, Content-Length together with Transfer-Encoding, two
// lengths, a transfer coding other than exactly `chunked`, and control characters in a head are faults
// (RFC 9112 §5, §6, §11.2). So are a request without exactly one Host (HTTP/1.0 may have none), and a target
// that is neither a path, nor `*` for OPTIONS, nor an http(s) URL; a URL is reduced to its path and query,
// and its authority replaces Host (§3.2.2). What comes out, and every fault, is the same however the bytes
// were cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "wire/http_message.hpp"

namespace lmw::wire {

// Interim (1xx) heads share the limits of the head they precede; the trailers of a chunked body have them
// once more.
struct HeadLimits {
  std::size_t bytes = std::size_t{256} * 1024;  // request line and header lines together
  std::size_t count = 256;                      // header lines
};

enum class ReadFault {
  bad_framing,     // answer 400 and close
  head_too_large,  // answer 431 and close
  version,         // not HTTP/1.0 or 1.1: 505
  cut_short,       // the peer closed inside a message
};

std::string_view describe(ReadFault fault);

// Reads one message; reset() starts the next one on the same connection.
class HttpReader {
 public:
  enum class Kind { request, response };

  HttpReader(Kind kind, HeadLimits limits);
  ~HttpReader();
  HttpReader(HttpReader&&) noexcept;
  HttpReader& operator=(HttpReader&&) noexcept;

  // Takes bytes, appends decoded body bytes to `body`, and returns how many bytes it took. It stops at the
  // end of the head (head_done() turns true, so that the caller can decide about the body) and at the end of
  // the message; what is left belongs to the body or to the next message. Once it has returned a fault it
  // must not be fed again.
  // Skipped without a trace: up to four empty lines before a request, interim responses (101 is bad framing:
  // we never ask for it), chunk extensions (a size with its extensions: 256 bytes at most), and trailers.
  std::expected<std::size_t, ReadFault> feed(std::string_view bytes, std::string& body);

  // Of a body with a length, what is still to come; 0 of others. So many bytes at most may also be appended
  // to the body without being fed: then skip() says how many were.
  std::uint64_t body_left() const;
  void skip(std::uint64_t bytes);

  // The peer will send no more. Completes a response that is delimited by the end of the connection. Not a
  // fault between requests (!started()); a response that has not started is cut_short.
  std::expected<void, ReadFault> finish();

  // Has taken at least one byte of the current message. Empty lines before a request are none.
  bool started() const;
  bool head_done() const;
  bool done() const;

  // Valid once head_done(). For requests and responses respectively; may be moved from.
  RequestHead& request();
  ResponseHead& response();

  // From the framing, once head_done(); 0 when there is no body, whatever the header says (HEAD, 204, 304).
  // No length: chunked, or (responses) until the connection ends.
  std::optional<std::uint64_t> content_length() const;
  // A response whose end is the end of the connection: that connection can't be used again.
  bool until_close() const;

  // Responses only: the answer to a HEAD request has no body whatever its head says. Call before feeding.
  void expect_no_body();

  // Also forgets expect_no_body().
  void reset();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lmw::wire
