#include "net/connect.hpp"

#include <algorithm>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace lmw::net {

namespace {

using boost::system::error_code;
using Connected = std::expected<tcp::socket, error_code>;

awaitable<Connected> connect_to(tcp::endpoint address, Timeout timeout) {
  // Shared with the timer's callback, which may run after this coroutine has ended.
  const auto socket = std::make_shared<tcp::socket>(co_await asio::this_coro::executor);
  asio::steady_timer deadline(socket->get_executor(), timeout);
  deadline.async_wait([weak = std::weak_ptr(socket)](error_code error) {
    const auto alive = weak.lock();
    error_code ignored;
    if (alive && !error) alive->close(ignored);
  });
  const auto [error] = co_await socket->async_connect(address, asio::as_tuple(asio::use_awaitable));
  if (!error && socket->is_open()) co_return std::move(*socket);
  const bool was_closed = !error || error == asio::error::operation_aborted;
  co_return std::unexpected(was_closed ? error_code(asio::error::timed_out) : error);
}

}  // namespace

awaitable<Connected> connect_to_any(std::vector<tcp::endpoint> addresses, Timeout timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  bool silent = false, refused = false;
  error_code last = asio::error::host_not_found;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto left = std::max(Timeout(0), Timeout(deadline - std::chrono::steady_clock::now()));
    auto connected = co_await connect_to(addresses[i], left / (addresses.size() - i));
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none)
      co_return std::unexpected(asio::error::operation_aborted);
    if (connected) co_return std::move(*connected);
    last = connected.error();
    silent |= last == asio::error::timed_out;
    refused |= last == asio::error::connection_refused;
  }
  if (silent)
    last = asio::error::timed_out;
  else if (refused)
    last = asio::error::connection_refused;
  co_return std::unexpected(last);
}

}  // namespace lmw::net
