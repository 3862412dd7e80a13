#include "net/upstream_pool.hpp"

#include <algorithm>

namespace lmw::net {

awaitable<std::expected<UpstreamPool::Lease, UpstreamFault>> UpstreamPool::acquire() {
  retire_idle();
  while (!idle_.empty()) {
    auto connection = std::move(idle_.back().connection);
    idle_.pop_back();
    if (connection->is_quiet()) co_return Lease{std::move(connection), true};
  }
  co_return co_await connect();
}

awaitable<std::expected<UpstreamPool::Lease, UpstreamFault>> UpstreamPool::connect() {
  auto connection = co_await ClientConnection::connect(origin_, options_.connect);
  if (!connection) co_return std::unexpected(connection.error());
  co_return Lease{std::move(*connection), false};
}

void UpstreamPool::release(std::unique_ptr<ClientConnection> connection) {
  if (closed_ || !connection || !connection->reusable() || idle_.size() >= options_.max_idle) return;
  idle_.push_back({std::move(connection), std::chrono::steady_clock::now()});
}

void UpstreamPool::retire_idle() {
  const auto oldest = std::chrono::steady_clock::now() - options_.idle;
  const auto young = std::ranges::find_if(idle_, [&](const Idle& idle) { return idle.since > oldest; });
  idle_.erase(idle_.begin(), young);
}

}  // namespace lmw::net
