// The client side of one HTTP/1.1 connection: one exchange after the other.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/url.hpp"
#include "net/read_buffer.hpp"
#include "net/stream.hpp"
#include "wire/http_reader.hpp"

namespace lmw::net {

enum class UpstreamFault {
  refused,       // nobody listens there: an address said so, and none kept silent
  unreachable,   // no connection for another reason: unresolved, no route, not within the timeout
  closed,        // the connection ended before the answer was complete
  timed_out,     // no byte within the timeout
  bad_response,  // not HTTP, or framing we don't trust
};

std::string_view describe(UpstreamFault fault);

class ClientConnection {
 public:
  static awaitable<std::expected<std::unique_ptr<ClientConnection>, UpstreamFault>> connect(
      const Origin& origin, Timeout timeout);
  ClientConnection(tcp::socket socket, wire::HeadLimits limits);

  // Sends a request. `body` pieces must stay valid until it returns. The caller sets Content-Length.
  awaitable<std::expected<void, UpstreamFault>> send(const wire::RequestHead& head,
                                                     std::span<const std::string_view> body, Timeout timeout);
  // The head of the answer; interim (1xx) answers are skipped.
  awaitable<std::expected<wire::ResponseHead, UpstreamFault>> read_head(Timeout timeout);
  // Appends what has come of the body, waiting for at least a byte; false when it is complete.
  awaitable<std::expected<bool, UpstreamFault>> read_body(std::string& out, Timeout timeout);

  // From the framing of the answer in hand.
  std::optional<std::uint64_t> content_length() const { return reader_.content_length(); }
  // Whether the answer in hand ends with the connection.
  bool until_close() const { return reader_.until_close(); }
  // Whether any byte of the answer in hand has come.
  bool answered() const { return reader_.started() || reader_.head_done(); }
  // Whether another exchange may follow.
  bool reusable() const;
  // Between two exchanges: not closed by the peer, and no byte has come that nobody asked for. Such a byte
  // would be taken for the next answer.
  bool is_quiet() const { return stream_.is_quiet(); }
  void close() { stream_.close(); }

 private:
  awaitable<std::expected<void, UpstreamFault>> feed_more(std::string& body, Timeout timeout);

  Stream stream_;
  wire::HttpReader reader_;
  ReadBuffer in_;
  bool keep_alive_ = true;
};

}  // namespace lmw::net
