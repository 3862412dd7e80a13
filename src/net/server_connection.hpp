// The server side of one HTTP/1.1 connection: one request after the other.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "net/read_buffer.hpp"
#include "net/stream.hpp"
#include "wire/http_reader.hpp"

namespace lmw::net {

struct ServerOptions {
  wire::HeadLimits head;
  std::uint64_t body_bytes = 64ull << 20;
  std::size_t connections = 4096;
  Timeout head_timeout = std::chrono::seconds(10);  // a whole head, from its first byte
  Timeout body_idle = std::chrono::seconds(30);     // between two pieces of a body
  Timeout keep_alive = std::chrono::seconds(75);    // idle between two requests
  Timeout write_idle = std::chrono::seconds(120);   // the peer takes no byte
};

enum class RequestFault {
  gone,            // the peer has left, or was idle too long between requests: nothing to answer
  timed_out,       // too slow inside a head or a body: 408
  bad_framing,     // 400
  head_too_large,  // 431
  version,         // 505
  body_too_large,  // 413
};

class ServerConnection {
 public:
  ServerConnection(tcp::socket socket, const ServerOptions& options);

  awaitable<std::expected<wire::RequestHead, RequestFault>> read_head();
  // The request's body, followed by wire::padding readable bytes of capacity. Says 100 Continue where asked
  // to.
  awaitable<std::expected<std::string, RequestFault>> read_body();

  // A whole answer; Content-Length is set here. All writers return false when the peer has gone.
  awaitable<bool> respond(wire::ResponseHead head, std::string_view body);

  // An answer in pieces: with its length when it is known, else chunked (HTTP/1.0 peers: until close). The
  // head goes out with the first piece, which may be empty.
  void begin(wire::ResponseHead head, std::optional<std::uint64_t> length);
  awaitable<bool> write(std::string_view piece);
  // Whatever else goes on: a piece that goes out only if the kernel takes some of it at once. It is never put
  // inside another piece, and never before begin() or after end(): then it does nothing and returns false.
  bool write_now(std::string_view piece);
  awaitable<bool> end();

  // Of the answer to the request in hand: whether begin() was called, and whether a byte has gone out. Until
  // then another begin() may replace it.
  bool has_begun() const { return begun_; }
  bool is_answering() const { return answering_; }

  // Completes when the peer closes its side or resets. Bytes of a next request that come meanwhile are kept.
  // The only reader while it runs.
  awaitable<void> until_gone();

  // Whether another request may follow; false before the answer is complete.
  bool reusable() const;
  // Before closing with a request not wholly read: lets the peer read the answer. Closing at once would reset
  // the connection, and with it what the peer has not read yet.
  awaitable<void> linger();
  void close() { stream_.close(); }

 private:
  awaitable<std::expected<void, RequestFault>> fill(Timeout timeout);
  std::string framed_head(wire::ResponseHead head, std::optional<std::uint64_t> length);
  awaitable<bool> send(std::string prefix, std::string_view body, std::string_view suffix);

  ServerOptions options_;
  Stream stream_;
  wire::HttpReader reader_;
  ReadBuffer in_;  // bytes read and not yet taken by reader_
  // The request in hand.
  bool head_request_ = false;
  bool http_1_0_ = false;
  bool keep_alive_ = false;
  bool expects_continue_ = false;
  // Its answer.
  std::string unsent_;  // goes out ahead of the next piece: the head, or what is left of a piece
  bool chunked_ = false;
  bool begun_ = false;
  bool answering_ = false;
  bool writing_ = false;
  bool ended_ = false;
};

}  // namespace lmw::net
