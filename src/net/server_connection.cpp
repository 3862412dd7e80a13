#include "net/server_connection.hpp"

#include <algorithm>
#include <array>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "wire/http_writer.hpp"
#include "wire/peek.hpp"

namespace lmw::net {

namespace {

// Of a next request that comes while an answer is under way. More than this waits in the kernel.
constexpr std::size_t max_ahead = 256u << 10;
constexpr auto linger_time = std::chrono::seconds(2);

RequestFault to_request_fault(IoFault fault) {
  return fault == IoFault::timed_out ? RequestFault::timed_out : RequestFault::gone;
}

RequestFault to_request_fault(wire::ReadFault fault) {
  switch (fault) {
    case wire::ReadFault::head_too_large:
      return RequestFault::head_too_large;
    case wire::ReadFault::version:
      return RequestFault::version;
    case wire::ReadFault::cut_short:
      return RequestFault::gone;
    case wire::ReadFault::bad_framing:
      break;
  }
  return RequestFault::bad_framing;
}

}  // namespace

ServerConnection::ServerConnection(tcp::socket socket, const ServerOptions& options)
    : options_(options), stream_(std::move(socket)), reader_(wire::HttpReader::Kind::request, options.head) {}

awaitable<std::expected<void, RequestFault>> ServerConnection::fill(Timeout timeout) {
  const auto size = co_await stream_.read_some(in_.prepare(read_size), timeout);
  if (!size) co_return std::unexpected(to_request_fault(size.error()));
  in_.commit(*size);
  co_return std::expected<void, RequestFault>();
}

awaitable<std::expected<wire::RequestHead, RequestFault>> ServerConnection::read_head() {
  reader_.reset();
  begun_ = answering_ = ended_ = false;
  keep_alive_ = head_request_ = http_1_0_ = false;
  auto deadline = std::chrono::steady_clock::time_point::max();
  while (!reader_.head_done()) {
    std::string none;  // it stops at the end of the head
    const auto taken = reader_.feed(text_of(in_), none);
    if (!taken) co_return std::unexpected(to_request_fault(taken.error()));
    in_.consume(*taken);
    if (reader_.head_done()) break;
    if (!reader_.started()) {
      // Between two requests: a connection that stays idle, or closes, is not a fault of anybody.
      if (!co_await fill(options_.keep_alive)) co_return std::unexpected(RequestFault::gone);
      continue;
    }
    const auto now = std::chrono::steady_clock::now();
    if (deadline == std::chrono::steady_clock::time_point::max()) deadline = now + options_.head_timeout;
    if (now >= deadline) co_return std::unexpected(RequestFault::timed_out);
    if (const auto filled = co_await fill(deadline - now); !filled) co_return std::unexpected(filled.error());
  }
  auto& head = reader_.request();
  head_request_ = head.method == "HEAD";
  http_1_0_ = head.minor == 0;
  keep_alive_ = head.keep_alive();
  expects_continue_ = !http_1_0_ && head.headers.has_token("Expect", "100-continue");
  co_return std::move(head);
}

awaitable<std::expected<std::string, RequestFault>> ServerConnection::read_body() {
  const auto length = reader_.content_length();
  if (length.value_or(0) > options_.body_bytes) co_return std::unexpected(RequestFault::body_too_large);
  std::string body;
  if (length) body.reserve(*length + wire::padding);
  if (std::exchange(expects_continue_, false) && !reader_.done() && in_.size() == 0) {
    static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    const std::array pieces{asio::const_buffer(go_on.data(), go_on.size())};
    if (!co_await stream_.write(pieces, options_.write_idle)) co_return std::unexpected(RequestFault::gone);
  }
  while (true) {
    const auto taken = reader_.feed(text_of(in_), body);
    if (!taken) co_return std::unexpected(to_request_fault(taken.error()));
    in_.consume(*taken);
    if (body.size() > options_.body_bytes) co_return std::unexpected(RequestFault::body_too_large);
    if (reader_.done()) break;
    if (const auto left = reader_.body_left()) {
      const auto size = co_await stream_.append_some(body, left, options_.body_idle);
      if (!size) co_return std::unexpected(to_request_fault(size.error()));
      reader_.skip(*size);
    } else if (const auto filled = co_await fill(options_.body_idle); !filled) {
      co_return std::unexpected(filled.error());
    }
  }
  body.reserve(body.size() + wire::padding);
  co_return body;
}

std::string ServerConnection::framed_head(wire::ResponseHead head, std::optional<std::uint64_t> length) {
  // What is left of the request's body is not read: the connection can't carry another request.
  if (!reader_.done()) keep_alive_ = false;
  chunked_ = !length && !http_1_0_;
  if (!length && http_1_0_) keep_alive_ = false;
  head.minor = 1;
  if (head.reason.empty()) head.reason = wire::reason_phrase(head.status);
  head.headers.remove("Content-Length");
  head.headers.remove("Transfer-Encoding");
  if (length && head.status != 204 && head.status != 304)
    head.headers.add("Content-Length", std::to_string(*length));
  if (chunked_) head.headers.add("Transfer-Encoding", "chunked");
  if (!keep_alive_)
    head.headers.set("Connection", "close");
  else if (http_1_0_)
    head.headers.set("Connection", "keep-alive");
  return wire::serialize(head);
}

void ServerConnection::begin(wire::ResponseHead head, std::optional<std::uint64_t> length) {
  unsent_ = framed_head(std::move(head), length);
  begun_ = true;
}

awaitable<bool> ServerConnection::send(std::string prefix, std::string_view body, std::string_view suffix) {
  const std::array pieces{
      asio::const_buffer(unsent_.data(), unsent_.size()), asio::const_buffer(prefix.data(), prefix.size()),
      asio::const_buffer(body.data(), body.size()), asio::const_buffer(suffix.data(), suffix.size())};
  answering_ = writing_ = true;
  const auto written = co_await stream_.write(pieces, options_.write_idle);
  writing_ = false;
  unsent_.clear();
  co_return written.has_value();
}

awaitable<bool> ServerConnection::write(std::string_view piece) {
  if (piece.empty() || head_request_) return send({}, {}, {});
  if (!chunked_) return send({}, piece, {});
  return send(wire::chunk_prefix(piece.size()), piece, wire::chunk_suffix);
}

bool ServerConnection::write_now(std::string_view piece) {
  if (!begun_ || writing_ || ended_ || head_request_) return false;
  auto bytes = unsent_;
  if (chunked_) bytes += wire::chunk_prefix(piece.size());
  bytes += piece;
  if (chunked_) bytes += wire::chunk_suffix;
  const auto sent = stream_.write_now(bytes);
  if (sent == 0) return false;
  answering_ = true;
  unsent_ = bytes.substr(sent);
  return true;
}

awaitable<bool> ServerConnection::end() {
  ended_ = co_await send({}, chunked_ && !head_request_ ? wire::last_chunk : std::string_view(), {});
  co_return ended_;
}

awaitable<bool> ServerConnection::respond(wire::ResponseHead head, std::string_view body) {
  begin(std::move(head), body.size());
  if (!co_await write(body)) co_return false;
  co_return co_await end();
}

awaitable<void> ServerConnection::until_gone() {
  while (in_.size() < max_ahead) {
    if (!co_await fill(std::chrono::hours(24 * 365))) co_return;
  }
  // The peer has sent far ahead: of its leaving only a reset is seen from here on.
  co_await stream_.wait_broken();
}

awaitable<void> ServerConnection::linger() {
  if (!ended_ || reader_.done()) co_return;
  stream_.shutdown_send();
  const auto deadline = std::chrono::steady_clock::now() + linger_time;
  for (auto now = deadline - linger_time; now < deadline; now = std::chrono::steady_clock::now()) {
    in_.clear();
    if (!co_await fill(deadline - now)) co_return;
  }
}

bool ServerConnection::reusable() const { return ended_ && keep_alive_ && stream_.is_open(); }

}  // namespace lmw::net
