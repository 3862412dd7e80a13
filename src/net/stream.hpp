// One TCP connection with a deadline for each direction.
#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "net/asio.hpp"

namespace lmw::net {

using Timeout = std::chrono::nanoseconds;

enum class IoFault {
  closed,     // the peer closed or reset the connection, or we did
  timed_out,  // no progress within the timeout
};

// Reading and writing may go on at the same time, one operation each. Destroying it closes the connection.
class Stream {
 public:
  explicit Stream(tcp::socket socket);
  ~Stream();
  Stream(Stream&&) noexcept = default;
  Stream& operator=(Stream&&) = delete;

  // At least one byte, at most the buffer.
  awaitable<std::expected<std::size_t, IoFault>> read_some(asio::mutable_buffer buffer, Timeout timeout);

  // The same, appended to `out` without a copy in between: `most` bytes at most.
  awaitable<std::expected<std::size_t, IoFault>> append_some(std::string& out, std::size_t most,
                                                             Timeout timeout);

  // All pieces; the timeout is for each part that the kernel takes. After a fault nothing more may be
  // written, since the peer may have half of it; what it has sent can still be read.
  awaitable<std::expected<void, IoFault>> write(std::span<const asio::const_buffer> pieces, Timeout timeout);

  // What the kernel takes at once, without waiting; 0 when it takes nothing. Not while write() is under way.
  std::size_t write_now(std::string_view bytes);

  // Ends both directions at once; pending operations end with `closed`.
  void close();
  // Completes when the connection is reset, or closed by us.
  awaitable<void> wait_broken();
  // Tells the peer that nothing more comes; reading goes on.
  void shutdown_send();
  bool is_open() const;
  // Open, and the peer has neither sent anything that is not read yet nor closed.
  bool is_quiet() const;

 private:
  struct State;
  std::shared_ptr<State>
      state_;  // shared with the deadline timer's callback, which may run after this object's end
};

}  // namespace lmw::net
