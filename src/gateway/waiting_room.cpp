#include "gateway/waiting_room.hpp"

#include <algorithm>
#include <memory>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace lmw::gateway {

namespace {

constexpr auto as_tuple = net::asio::as_tuple(net::asio::use_awaitable);

}  // namespace

net::awaitable<bool> WaitingRoom::wait(routing::Ticket& ticket, Duration most) {
  const auto deadline = clock_.now() + most;
  net::asio::steady_timer timer(co_await net::asio::this_coro::executor);
  const auto place = waiting_.emplace(ticket.turn(), &timer).first;
  const auto leave = [&](auto*) {
    const auto next = waiting_.erase(place);
    if (next == waiting_.begin() && next != waiting_.end()) next->second->cancel();  // it looks from now on
  };
  const std::unique_ptr<WaitingRoom, decltype(leave)> guard(this, leave);
  while (ticket.is_held()) {
    const auto now = clock_.now();
    if (now >= deadline) co_return false;
    // The one that came first looks for all.
    const bool looks = place == waiting_.begin();
    timer.expires_after(clock_.wall(looks ? std::min(tick, deadline - now) : deadline - now));
    co_await timer.async_wait(as_tuple);
    if (!looks) continue;
    router_.admit(clock_.now());
    wake();
  }
  co_return true;
}

void WaitingRoom::wake() {
  for (const auto turn : router_.take_admitted()) {
    if (const auto found = waiting_.find(turn); found != waiting_.end()) found->second->cancel();
  }
}

}  // namespace lmw::gateway
