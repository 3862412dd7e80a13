// How vLLM's API servers choose a replica for a request that names none (DPLBAsyncMPClient, by version).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/time.hpp"
#include "replica/engine.hpp"

namespace lmw::replica {

// What a replica reports to the API servers.
struct ReplicaLoad {
  int waiting = 0;
  int running = 0;
  double kv_used = 0;  // 0..1
};

// All API servers of one engine. They share the reports, and each knows only its own requests.
class LoadBalancer {
 public:
  LoadBalancer(Balancer kind, int replicas, int api_servers);

  // `loads` are the counts of now, one a replica; they are looked at when the last look is 100 ms old.
  int choose(int api_server, std::span<const ReplicaLoad> loads, Instant now);
  // Every request that goes through an API server, chosen or pinned by the client.
  void sent(int api_server, int replica);
  void ended(int api_server, int replica);

 private:
  struct ApiServer {
    std::size_t scan_start = 0;
    std::vector<ReplicaLoad> seen;
    std::vector<int> in_flight;
  };

  void look(std::span<const ReplicaLoad> loads, Instant now);
  double score(const ApiServer& server, std::size_t replica) const;

  Balancer kind_;
  std::vector<ApiServer> servers_;
  std::optional<Instant> looked_at_;
};

}  // namespace lmw::replica
