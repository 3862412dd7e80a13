// What routes in the lab. A policy sees what a gateway can see, decides at once or holds a turn, and is told
// how it ended.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "replica/engine.hpp"
#include "workload/clients.hpp"

namespace lmw::lab {

using workload::TurnId;

// A turn as it reaches the gateway.
struct Arrival {
  TurnId id = 0;
  std::uint64_t conversation = 0;
  std::uint64_t session = 0;            // the conversations of one session have it in common
  std::optional<std::uint64_t> parent;  // of a sub-agent: the conversation that started it
  int prompt_tokens = 0;
  std::span<const std::uint64_t> blocks;  // content of the prompt and the output to come; valid in the call
};

// A turn leaves the gateway for the engine.
struct Release {
  TurnId turn = 0;
  std::optional<int> replica;  // nothing: the engine's balancer chooses
  bool spilled = false;        // away from a home that was too full
};
using Releases = std::vector<Release>;

struct Ended {
  TurnId turn = 0;
  int prompt_tokens = 0;
  int cached_tokens = 0;
  int output_tokens = 0;
};

// Each turn that arrived is released exactly once: in the same call, or in a later one. Time never goes back.
class Policy {
 public:
  virtual ~Policy() = default;

  virtual void arrived(const Arrival& turn, Instant now, Releases& out) = 0;
  virtual void first_token(TurnId /*turn*/, Instant /*now*/) {}
  virtual void ended(const Ended& /*turn*/, Instant /*now*/, Releases& /*out*/) {}
  // The gauges of all replicas, as a gateway scrapes them every few seconds.
  virtual void read(std::span<const replica::ReplicaStats> /*stats*/, Instant /*now*/) {}
  // When woken() is to be called next. Asked again after every other call.
  virtual std::optional<Instant> wake_at() const { return std::nullopt; }
  virtual void woken(Instant /*now*/, Releases& /*out*/) {}
};

// The engine that a policy is put before.
struct EngineFacts {
  const replica::Profile& profile;
  int replicas;
  std::uint64_t seed;
  double kv_told = 1;  // the share of its KV cache that the engine tells; 0: it tells nothing
};

// An arm of an experiment.
struct PolicyKind {
  std::string_view name;
  std::string_view what;
  std::unique_ptr<Policy> (*make)(const EngineFacts& engine);
  replica::Balancer balancer = replica::Balancer::engine;  // for turns released without a replica
  // An upper bound: what one cache for all replicas would find costs nothing. In the KV tokens of the box; 0:
  // none.
  double common_cache = 0;
};

// All there are, in order of the documentation.
std::span<const PolicyKind> policies();
// Null when there is none of that name.
const PolicyKind* find_policy(std::string_view name);

}  // namespace lmw::lab
