#include "net/stream.hpp"

#include <algorithm>
#include <cerrno>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/container/small_vector.hpp>
#include <sys/socket.h>

namespace lmw::net {

namespace {
using SteadyTime = std::chrono::steady_clock::time_point;
constexpr auto tuple_awaitable = asio::as_tuple(asio::use_awaitable);

SteadyTime after(Timeout timeout) {
  const auto now = std::chrono::steady_clock::now();
  return timeout >= SteadyTime::max() - now ? SteadyTime::max() : now + timeout;
}
}  // namespace

// One timer watches both deadlines. It is armed for the earliest and looks again when it fires, so that
// moving a deadline further away (each streamed piece does) costs no timer operation.
struct Stream::State {
  explicit State(tcp::socket s) : socket(std::move(s)), timer(socket.get_executor()) {}

  tcp::socket socket;
  asio::steady_timer timer;
  SteadyTime read_deadline = SteadyTime::max();
  SteadyTime write_deadline = SteadyTime::max();
  SteadyTime armed = SteadyTime::max();
  bool read_timed_out = false;
  bool write_timed_out = false;
  bool ended = false;  // the peer has: the kernel's word for it wakes one read only

  IoFault read_fault(const boost::system::error_code& error) {
    if (error == asio::error::operation_aborted && read_timed_out) return IoFault::timed_out;
    ended |= error != asio::error::operation_aborted;
    return IoFault::closed;
  }

  static void arm(const std::shared_ptr<State>& state) {
    const auto next = std::min(state->read_deadline, state->write_deadline);
    if (next >= state->armed) return;
    state->armed = next;
    state->timer.expires_at(next);
    state->timer.async_wait([weak = std::weak_ptr(state)](boost::system::error_code error) {
      const auto self = weak.lock();
      if (error || !self) return;
      self->armed = SteadyTime::max();
      self->check();
      arm(self);
    });
  }

  void check() {
    const auto now = std::chrono::steady_clock::now();
    const bool read_due = now >= read_deadline, write_due = now >= write_deadline;
    if (read_due) read_deadline = SteadyTime::max();
    if (write_due) write_deadline = SteadyTime::max();
    read_timed_out |= read_due;
    write_timed_out |= write_due;
    boost::system::error_code ignored;
    if (read_due || write_due) socket.cancel(ignored);
  }
};

Stream::Stream(tcp::socket socket) : state_(std::make_shared<State>(std::move(socket))) {
  boost::system::error_code ignored;
  state_->socket.set_option(tcp::no_delay(true), ignored);
  state_->socket.non_blocking(true, ignored);
}

Stream::~Stream() {
  if (!state_) return;
  close();
  state_->timer.cancel();
}

awaitable<std::expected<std::size_t, IoFault>> Stream::read_some(asio::mutable_buffer buffer,
                                                                 Timeout timeout) {
  const auto state = state_;
  if (state->ended) co_return std::unexpected(IoFault::closed);
  state->read_timed_out = false;
  state->read_deadline = after(timeout);
  State::arm(state);
  const auto [error, size] = co_await state->socket.async_read_some(buffer, tuple_awaitable);
  state->read_deadline = SteadyTime::max();
  if (!error) co_return size;
  co_return std::unexpected(state->read_fault(error));
}

awaitable<std::expected<std::size_t, IoFault>> Stream::append_some(std::string& out, std::size_t most,
                                                                   Timeout timeout) {
  const auto state = state_;
  if (state->ended) co_return std::unexpected(IoFault::closed);
  state->read_timed_out = false;
  while (true) {
    boost::system::error_code error;
    const auto before = out.size();
    out.resize_and_overwrite(before + most, [&](char* begin, std::size_t) {
      return before + state->socket.read_some(asio::buffer(begin + before, most), error);
    });
    if (!error) co_return out.size() - before;
    if (error != asio::error::would_block) co_return std::unexpected(state->read_fault(error));
    state->read_deadline = after(timeout);
    State::arm(state);
    const auto [failed] = co_await state->socket.async_wait(tcp::socket::wait_read, tuple_awaitable);
    state->read_deadline = SteadyTime::max();
    if (failed) co_return std::unexpected(state->read_fault(failed));
  }
}

awaitable<std::expected<void, IoFault>> Stream::write(std::span<const asio::const_buffer> pieces,
                                                      Timeout timeout) {
  const auto state = state_;
  boost::container::small_vector<asio::const_buffer, 8> left(pieces.begin(), pieces.end());
  std::size_t first = 0;
  const auto skip = [&](std::size_t size) {
    while (first < left.size() && size >= left[first].size()) size -= left[first++].size();
    if (size > 0) left[first] += size;
  };
  const auto todo = [&] {
    return std::span<const asio::const_buffer>(left.data() + first, left.size() - first);
  };
  skip(0);
  if (first == left.size()) co_return std::expected<void, IoFault>();
  // Nearly always the kernel takes all at once, and nobody has to be woken.
  boost::system::error_code refused;
  skip(state->socket.write_some(todo(), refused));
  if (refused && refused != asio::error::would_block) co_return std::unexpected(IoFault::closed);
  state->write_timed_out = false;
  while (first < left.size()) {
    state->write_deadline = after(timeout);
    State::arm(state);
    const auto [error, size] = co_await state->socket.async_write_some(todo(), tuple_awaitable);
    state->write_deadline = SteadyTime::max();
    if (error) {
      co_return std::unexpected(state->write_timed_out ? IoFault::timed_out : IoFault::closed);
    }
    skip(size);
  }
  co_return std::expected<void, IoFault>();
}

std::size_t Stream::write_now(std::string_view bytes) {
  if (!is_open()) return 0;
  const auto size =
      ::send(state_->socket.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}

void Stream::close() {
  boost::system::error_code ignored;
  state_->socket.close(ignored);
}

awaitable<void> Stream::wait_broken() {
  const auto state = state_;
  co_await state->socket.async_wait(tcp::socket::wait_error, tuple_awaitable);
}

void Stream::shutdown_send() {
  boost::system::error_code ignored;
  state_->socket.shutdown(tcp::socket::shutdown_send, ignored);
}

bool Stream::is_open() const { return state_->socket.is_open(); }

bool Stream::is_quiet() const {
  if (!is_open()) return false;
  char byte = 0;
  const auto size = ::recv(state_->socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace lmw::net
