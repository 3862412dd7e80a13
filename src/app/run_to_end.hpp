// For commands that do one thing: a coroutine, waited for.
#pragma once

#include <optional>

#include <boost/asio/co_spawn.hpp>

#include "net/asio.hpp"

namespace lmw::app {

// Runs what `task` returns, an awaitable with a result, and all else that is on the context; the result. What
// it throws is thrown here.
template <class Task>
auto run_to_end(net::asio::io_context& context, Task task) {
  std::optional<typename decltype(task())::value_type> result;
  net::asio::co_spawn(
      context, [&]() -> net::awaitable<void> { result = co_await task(); },
      [](const std::exception_ptr& failed) {
        if (failed) std::rethrow_exception(failed);
      });
  context.restart();
  context.run();
  return std::move(*result);
}

}  // namespace lmw::app
