#include "replica/balancer.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace lmw::replica {
namespace {

constexpr Duration kReportInterval = std::chrono::milliseconds(100);

}  // namespace

LoadBalancer::LoadBalancer(Balancer kind, int replicas, int api_servers) : kind_(kind) {
  const auto count = static_cast<std::size_t>(replicas);
  const auto servers = static_cast<std::size_t>(api_servers);
  for (std::size_t i = 0; i < servers; ++i) {
    servers_.push_back({.scan_start = count * i / servers,
                        .seen = std::vector<ReplicaLoad>(count),
                        .in_flight = std::vector<int>(count)});
  }
}

int LoadBalancer::choose(int api_server, std::span<const ReplicaLoad> loads, Instant now) {
  look(loads, now);
  ApiServer& server = servers_[static_cast<std::size_t>(api_server)];
  const std::size_t count = server.seen.size();
  assert(count > 0);
  std::size_t best = server.scan_start;
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t replica = (server.scan_start + i) % count;
    if (const double load = score(server, replica); load < lowest) {
      lowest = load;
      best = replica;
    }
  }
  // The request counts at once, times the API servers since the others will have had as many.
  server.seen[best].waiting += static_cast<int>(servers_.size());
  if (kind_ != Balancer::engine_legacy) server.scan_start = (server.scan_start + 1) % count;
  return static_cast<int>(best);
}

void LoadBalancer::look(std::span<const ReplicaLoad> loads, Instant now) {
  if (looked_at_ && now - *looked_at_ < kReportInterval) return;
  looked_at_ = now;
  for (ApiServer& server : servers_) std::ranges::copy(loads, server.seen.begin());
}

double LoadBalancer::score(const ApiServer& server, std::size_t replica) const {
  const ReplicaLoad& load = server.seen[replica];
  switch (kind_) {
    case Balancer::engine_0_26:
      return 0;  // dense replicas report nothing: only the rotating start of the scan decides
    case Balancer::engine_legacy:
      return 4.0 * load.waiting + load.running;
    case Balancer::engine:
      break;
  }
  const int own = static_cast<int>(servers_.size()) * server.in_flight[replica];
  double sum = std::max(own, load.waiting + load.running);
  if (load.waiting > 0) sum += load.waiting * 6.0 * std::max(0.0, load.kv_used - 0.5);
  return sum;
}

void LoadBalancer::sent(int api_server, int replica) {
  ++servers_[static_cast<std::size_t>(api_server)].in_flight[static_cast<std::size_t>(replica)];
}

void LoadBalancer::ended(int api_server, int replica) {
  --servers_[static_cast<std::size_t>(api_server)].in_flight[static_cast<std::size_t>(replica)];
}

}  // namespace lmw::replica
