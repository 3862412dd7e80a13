#include <algorithm>
#include <array>
#include <limits>

#include "base/random.hpp"
#include "lab/affinity.hpp"
#include "lab/policy.hpp"

namespace lmw::lab {

namespace {

// A policy that only ever sends at once.
class SendsAtOnce : public Policy {
 public:
  void arrived(const Arrival& turn, Instant, Releases& out) override {
    out.push_back({.turn = turn.id, .replica = choose(turn)});
  }

 private:
  virtual std::optional<int> choose(const Arrival& turn) = 0;
};

class LeftToTheEngine : public SendsAtOnce {
 public:
  explicit LeftToTheEngine(const EngineFacts&) {}

 private:
  std::optional<int> choose(const Arrival&) override { return std::nullopt; }
};

class RoundRobin : public SendsAtOnce {
 public:
  explicit RoundRobin(const EngineFacts& engine) : replicas_(engine.replicas) {}

 private:
  std::optional<int> choose(const Arrival&) override { return next_++ % replicas_; }

  int replicas_;
  int next_ = 0;
};

int bucket(std::uint64_t hash, const EngineFacts& engine) {
  return static_cast<int>(mix64(hash) % static_cast<std::uint64_t>(engine.replicas));
}

class Hash : public SendsAtOnce {
 public:
  explicit Hash(const EngineFacts& engine) : engine_(engine) {}

 private:
  std::optional<int> choose(const Arrival& turn) override {
    return bucket(turn.conversation + mix64(engine_.seed), engine_);
  }

  EngineFacts engine_;
};

// By the first tokens of the prompt, whose conversation they may be of.
class PrefixHash : public SendsAtOnce {
 public:
  static constexpr int tokens = 4096;

  explicit PrefixHash(const EngineFacts& engine) : engine_(engine) {}

 private:
  std::optional<int> choose(const Arrival& turn) override {
    const int blocks = std::min(tokens, turn.prompt_tokens) / engine_.profile.block_size;
    std::uint64_t hash = mix64(engine_.seed);
    for (const auto block : turn.blocks.first(static_cast<std::size_t>(blocks))) hash = mix64(hash + block);
    return bucket(hash, engine_);
  }

  EngineFacts engine_;
};

template <class T>
std::unique_ptr<Policy> make(const EngineFacts& engine) {
  return std::make_unique<T>(engine);
}

std::unique_ptr<Policy> make_affinity(const EngineFacts& engine) {
  return std::make_unique<Affinity>(engine, routing::RouterSettings{});
}

std::unique_ptr<Policy> make_places(const EngineFacts& engine, double wait_share) {
  routing::RouterSettings settings{.admission = routing::Admission::on};
  settings.places.wait_share = wait_share;
  return std::make_unique<Affinity>(engine, settings);
}

std::unique_ptr<Policy> make_interactive(const EngineFacts& engine) {
  return make_places(engine, routing::PlacesSettings{}.wait_share);
}

std::unique_ptr<Policy> make_steady(const EngineFacts& engine) { return make_places(engine, 1); }

using replica::Balancer;

constexpr double endless = std::numeric_limits<double>::infinity();

constexpr auto kinds = std::to_array<PolicyKind>({
    {"engine-0.26", "the engine's balancer, vLLM 0.25-0.26: blind round robin of each API server",
     make<LeftToTheEngine>, Balancer::engine_0_26},
    {"engine", "the engine's balancer, vLLM 0.27 and later: least loaded", make<LeftToTheEngine>},
    {"engine-legacy", "the engine's balancer before: 4 × waiting + running", make<LeftToTheEngine>,
     Balancer::engine_legacy},
    {"round-robin", "one replica after the other", make<RoundRobin>},
    {"hash", "by a hash of the conversation's id", make<Hash>},
    {"prefix-hash", "by a hash of the prompt's first 4,096 tokens", make<PrefixHash>},
    {"affinity", "LM Warden: every turn goes home", make_affinity},
    {"places", "LM Warden: the same, and turns wait for room in the caches", make_interactive},
    {"places-steady", "the same, and every turn may have to wait", make_steady},
    {"one-big-cache", "upper bound: the engine balances, and all replicas share one cache of their size",
     make<LeftToTheEngine>, Balancer::engine, 1},
    {"infinite-cache", "upper bound: the engine balances, and all replicas share a cache that never evicts",
     make<LeftToTheEngine>, Balancer::engine, endless},
});

}  // namespace

std::span<const PolicyKind> policies() { return kinds; }

const PolicyKind* find_policy(std::string_view name) {
  const auto found = std::ranges::find(kinds, name, &PolicyKind::name);
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace lmw::lab
