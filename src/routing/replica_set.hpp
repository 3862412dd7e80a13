// The endpoints of a pool, their replicas, and what we know of each. An endpoint is one base URL with one or
// more ranks; a replica is one rank of it. Identity is (endpoint, rank): what goes away and comes back is the
// same replica.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "routing/counters.hpp"
#include "routing/ids.hpp"

namespace lmw::routing {

// One reading of the engine's own gauges and counters.
struct Reading {
  int running = 0;
  int waiting = 0;
  double kv_used = 0;               // 0..1: blocks held by live requests
  std::int64_t prefix_queries = 0;  // tokens, since the engine's start
  std::int64_t prefix_hits = 0;
  Instant at{};
};

// Learns max_num_seqs of an engine that does not tell it: the number of running sequences that stands still,
// reading after reading, while others wait and KV blocks are free. Waiting alone proves nothing: a full
// cache, or a long prefill that takes all of a step's tokens, makes others wait at any number, and a
// threshold made of that would send turns away from their caches.
class Ceiling {
 public:
  static constexpr int readings = 3;      // in a row
  static constexpr double full_kv = 0.9;  // blocks are short from here on
  static constexpr int least = 8;         // smaller ceilings are not believed

  // The ceiling that this reading confirms, if it does.
  std::optional<int> observe(const Reading& reading);

 private:
  int running_ = 0;
  int times_ = 0;
};

struct Replica {
  ReplicaId id;
  EndpointId endpoint;
  int rank = 0;         // local to its endpoint: what the rank header says
  std::string label;    // the engine label in its /metrics
  bool present = true;  // false: its endpoint no longer has this rank
  int in_flight = 0;
  std::optional<Reading> reading;          // of the current engine run
  std::optional<int> max_num_seqs;         // configured or told by the engine
  std::optional<int> learnt_max_num_seqs;  // where running has stood still; see Ceiling
  Ceiling ceiling;
  std::optional<std::int64_t> kv_capacity_tokens;
  // Of its host tier (vLLM's --kv-offloading-size); 0: none that we know of; nothing: the size is not known.
  std::optional<std::int64_t> host_kv_tokens = 0;
  double host_kv_rate = 83'000;  // tokens/s brought back: 147 KB each at 12 GB/s
  ReplicaCounters counters;
};

struct Endpoint {
  EndpointId id;
  std::string url;
  bool up = false;
  std::uint32_t run = 0;            // how often the engine has started anew
  int unrouted_in_flight = 0;       // turns whose replica the engine chose
  std::vector<ReplicaId> replicas;  // by rank, those of old runs included: see ReplicaSet::ranks
  bool ignores_rank_on_responses = false;
};

class ReplicaSet {
 public:
  // The endpoint of that URL, made when it is new.
  EndpointId endpoint(const std::string& url);
  // Its ranks, by their metric labels in order of rank. Ranks beyond are no longer present.
  void set_ranks(EndpointId endpoint, const std::vector<std::string>& labels);

  Replica& operator[](ReplicaId id) { return replicas_[id.value()]; }
  const Replica& operator[](ReplicaId id) const { return replicas_[id.value()]; }
  Endpoint& operator[](EndpointId id) { return endpoints_[id.value()]; }
  const Endpoint& operator[](EndpointId id) const { return endpoints_[id.value()]; }

  const std::vector<Replica>& replicas() const { return replicas_; }
  const std::vector<Endpoint>& endpoints() const { return endpoints_; }

  // How many ranks an endpoint has now.
  int ranks(EndpointId endpoint) const;
  // Present, and its endpoint is up.
  bool usable(ReplicaId id) const {
    const auto& replica = (*this)[id];
    return replica.present && (*this)[replica.endpoint].up;
  }
  bool any_up() const;

  void record(ReplicaId id, const Reading& reading);

 private:
  std::vector<Replica> replicas_;
  std::vector<Endpoint> endpoints_;
};

}  // namespace lmw::routing
