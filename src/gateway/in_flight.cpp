#include "gateway/in_flight.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace lmw::gateway {

net::awaitable<void> TurnUnderWay::until_cancelled() {
  while (!cancelled_) {
    co_await wake_.async_wait(net::asio::as_tuple(net::asio::use_awaitable));
    const auto state = co_await net::asio::this_coro::cancellation_state;
    if (state.cancelled() != net::asio::cancellation_type::none) co_return;
  }
}

bool InFlight::cancel(Number number) {
  const auto found = turns_.find(number);
  if (found == turns_.end()) return false;
  found->second->cancel();
  return true;
}

}  // namespace lmw::gateway
