#include "net/client_connection.hpp"

#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "net/connect.hpp"
#include "wire/http_writer.hpp"

namespace lmw::net {

namespace {

constexpr auto tuple_awaitable = asio::as_tuple(asio::use_awaitable);

UpstreamFault to_upstream_fault(IoFault fault) {
  return fault == IoFault::timed_out ? UpstreamFault::timed_out : UpstreamFault::closed;
}

UpstreamFault to_upstream_fault(wire::ReadFault fault) {
  return fault == wire::ReadFault::cut_short ? UpstreamFault::closed : UpstreamFault::bad_response;
}

}  // namespace

std::string_view describe(UpstreamFault fault) {
  switch (fault) {
    case UpstreamFault::unreachable:
      return "can't be reached";
    case UpstreamFault::refused:
      return "can't be connected to";
    case UpstreamFault::closed:
      return "closed the connection before its answer was complete";
    case UpstreamFault::timed_out:
      return "did not answer in time";
    case UpstreamFault::bad_response:
      return "answered with something that is not valid HTTP/1.1";
  }
  return "";
}

ClientConnection::ClientConnection(tcp::socket socket, wire::HeadLimits limits)
    : stream_(std::move(socket)), reader_(wire::HttpReader::Kind::response, limits) {}

awaitable<std::expected<std::unique_ptr<ClientConnection>, UpstreamFault>> ClientConnection::connect(
    const Origin& origin, Timeout timeout) {
  const auto executor = co_await asio::this_coro::executor;
  // Shared with the timer's callback, which may run after this coroutine has ended.
  const auto resolver = std::make_shared<tcp::resolver>(executor);
  asio::steady_timer deadline(executor, timeout);
  deadline.async_wait([weak = std::weak_ptr(resolver)](boost::system::error_code error) {
    const auto alive = weak.lock();
    if (alive && !error) alive->cancel();
  });
  const auto [error, found] =
      co_await resolver->async_resolve(origin.host, std::to_string(origin.port), tuple_awaitable);
  if (error) co_return std::unexpected(UpstreamFault::unreachable);
  auto socket = co_await connect_to_any({found.begin(), found.end()},
                                        deadline.expiry() - std::chrono::steady_clock::now());
  if (socket) co_return std::make_unique<ClientConnection>(std::move(*socket), wire::HeadLimits{});
  const bool refused = socket.error() == asio::error::connection_refused;
  co_return std::unexpected(refused ? UpstreamFault::refused : UpstreamFault::unreachable);
}

awaitable<std::expected<void, UpstreamFault>> ClientConnection::send(const wire::RequestHead& head,
                                                                     std::span<const std::string_view> body,
                                                                     Timeout timeout) {
  reader_.reset();
  keep_alive_ = head.keep_alive();
  if (head.method == "HEAD") reader_.expect_no_body();
  const std::string text = wire::serialize(head);
  std::vector<asio::const_buffer> pieces{asio::const_buffer(text.data(), text.size())};
  for (const auto piece : body) pieces.emplace_back(piece.data(), piece.size());
  const auto sent = co_await stream_.write(pieces, timeout);
  if (!sent) co_return std::unexpected(to_upstream_fault(sent.error()));
  co_return std::expected<void, UpstreamFault>();
}

awaitable<std::expected<void, UpstreamFault>> ClientConnection::feed_more(std::string& body,
                                                                          Timeout timeout) {
  if (in_.size() == 0) {
    const auto size = co_await stream_.read_some(in_.prepare(read_size), timeout);
    if (!size) {
      if (size.error() == IoFault::timed_out) co_return std::unexpected(UpstreamFault::timed_out);
      keep_alive_ = false;
      if (const auto finished = reader_.finish(); !finished) co_return std::unexpected(UpstreamFault::closed);
      co_return std::expected<void, UpstreamFault>();
    }
    in_.commit(*size);
  }
  const auto taken = reader_.feed(text_of(in_), body);
  if (!taken) co_return std::unexpected(to_upstream_fault(taken.error()));
  in_.consume(*taken);
  co_return std::expected<void, UpstreamFault>();
}

awaitable<std::expected<wire::ResponseHead, UpstreamFault>> ClientConnection::read_head(Timeout timeout) {
  std::string none;  // the reader stops at the end of the head
  while (!reader_.head_done()) {
    if (const auto fed = co_await feed_more(none, timeout); !fed) co_return std::unexpected(fed.error());
  }
  auto& head = reader_.response();
  keep_alive_ = keep_alive_ && head.keep_alive();
  co_return std::move(head);
}

awaitable<std::expected<bool, UpstreamFault>> ClientConnection::read_body(std::string& out, Timeout timeout) {
  const auto before = out.size();
  while (out.size() == before && !reader_.done()) {
    if (const auto fed = co_await feed_more(out, timeout); !fed) co_return std::unexpected(fed.error());
  }
  // What is already here goes along, so that one piece upstream is one piece downstream.
  while (in_.size() > 0 && !reader_.done()) {
    const auto taken = reader_.feed(text_of(in_), out);
    if (!taken) co_return std::unexpected(to_upstream_fault(taken.error()));
    in_.consume(*taken);
    if (*taken == 0) break;
  }
  co_return !reader_.done();
}

bool ClientConnection::reusable() const {
  return reader_.done() && !reader_.until_close() && keep_alive_ && in_.size() == 0 && stream_.is_open();
}

}  // namespace lmw::net
