// Clients, a gateway with a policy, and an engine, on one virtual clock. The profile's network time lies
// between the clients and the gateway; the gateway itself costs nothing.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <unordered_map>

#include "lab/policy.hpp"
#include "replica/block_lru.hpp"
#include "report/engine_sums.hpp"
#include "workload/clients.hpp"

namespace lmw::lab {

struct BoxOptions {
  const PolicyKind& policy;
  replica::Profile profile;
  int replicas = 1;
  double kv_told = 1;  // see Workload
  int api_servers = 1;
  std::uint64_t seed = 1;
};

class Box {
 public:
  static constexpr Duration scrape_interval = std::chrono::seconds(5);
  static constexpr Duration poll_interval = std::chrono::milliseconds(100);

  // The source must outlive it.
  Box(const BoxOptions& options, workload::SessionSource& sessions);

  workload::Clients& clients() { return clients_; }
  const workload::Clients& clients() const { return clients_; }
  Instant now() const { return now_; }
  // Everything that happens before `end`.
  void run_until(Instant end);
  // No turn is under way or due.
  bool is_idle() const;
  report::EngineSums sums() const;

 private:
  struct Passing {  // on its way back over the network
    Instant at;
    TurnId turn;
  };

  std::optional<Instant> next_time() const;
  void act();
  void send_due();
  void reach_gateway(TurnId turn);
  void release(const Releases& releases, std::optional<TurnId> arrived);
  void take(const std::vector<replica::Event>& events);
  void scrape();
  void poll();
  std::vector<replica::ReplicaStats> stats() const;

  replica::Engine engine_;
  std::unique_ptr<Policy> policy_;
  workload::Clients clients_;
  std::optional<replica::BlockLru> common_cache_;
  std::unordered_map<TurnId, std::vector<std::uint64_t>> blocks_;  // of turns in the gateway or the engine
  std::multimap<Instant, TurnId> requests_;  // on their way to the gateway, by when they arrive
  std::deque<Passing> answers_;
  Instant now_{};
  Instant scrape_at_{};
  Instant poll_at_{};
  std::int64_t polls_ = 0;
  std::int64_t busy_ = 0;
  std::int64_t in_gateway_or_engine_ = 0;
};

}  // namespace lmw::lab
