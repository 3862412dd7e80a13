// A whole engine: n replicas, each with its own scheduler and cache, behind the engine's balancer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/time.hpp"
#include "replica/profile.hpp"

namespace lmw::replica {

using RequestId = std::uint64_t;

// Which replica takes a request that names no rank (facts: vLLM's DPLBAsyncMPClient by version).
enum class Balancer {
  engine,  // 0.27+: max(api_servers × own in flight, waiting + running), and a penalty while anything waits
  engine_0_26,    // 0.25–0.26, dense models: blind round robin of each API server
  engine_legacy,  // 4 × waiting + running
};

struct Request {
  RequestId id = 0;
  int prompt_tokens = 0;
  int output_tokens = 0;  // how many it will generate, at least 1
  // Of all full blocks of prompt and output, each chained to those before it. Blocks beyond the last key are
  // not cached.
  std::vector<std::uint64_t> block_keys;
  // Of the prompt, found in a store outside the replica (a common cache, another tier): what of it is not in
  // the replica's own cache takes blocks and counts as cached, but is neither computed nor waited for.
  int loaded_tokens = 0;
};

// Keys for Request::block_keys of a token sequence (prompt, then output).
std::vector<std::uint64_t> block_keys(std::span<const std::uint32_t> tokens, int block_size);

// A request that runs to its end has output_tokens events `token` and then one `finished`, at the time of its
// last token.
struct Event {
  enum class Kind { token, finished };
  Kind kind = Kind::token;
  RequestId id = 0;
  Instant at;
  int replica = 0;
  int generated = 0;      // tokens so far, this one included
  int cached_tokens = 0;  // of the prompt, found in the cache or the host tier when it was first scheduled
  int loaded_tokens = 0;  // of these, from the host tier
};

// Counters since the start, and gauges of now. Names follow vLLM's metrics.
struct ReplicaStats {
  int running = 0;
  int waiting = 0;
  double kv_used = 0;                              // share of blocks that live requests hold, 0..1
  std::int64_t prefix_cache_queries = 0;           // tokens
  std::int64_t prefix_cache_hits = 0;              // tokens
  std::int64_t external_prefix_cache_queries = 0;  // of the host tier: tokens
  std::int64_t external_prefix_cache_hits = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t generation_tokens = 0;
  std::int64_t preemptions = 0;
  std::int64_t finished = 0;
};

struct EngineOptions {
  Profile profile;
  int replicas = 1;
  Balancer balancer = Balancer::engine;
  int api_servers = 1;  // default of vLLM: one a rank
  std::uint64_t seed = 1;
};

// Single-threaded. Time is the `now` of the last call and must not go back.
class Engine {
 public:
  explicit Engine(EngineOptions options);
  ~Engine();

  // Queues a request on `rank`, or where the balancer puts it; returns the replica. A request longer than
  // max_model_len or than the whole cache is the caller's to refuse, and so is a rank that does not exist. No
  // two live requests may have the same id.
  int submit(Request request, std::optional<int> rank, Instant now);
  // The client has gone: its blocks are freed at once and no event follows. Unknown ids are ignored.
  void abort(RequestId id, Instant now);

  // When to call advance() next: the end of a step, which may bring no event; nothing while idle. Other calls
  // may change it.
  std::optional<Instant> next_due() const;
  // Runs all steps that end until `now` and returns their events in order of time, at equal times in order of
  // replica. However late the call, steps end and begin at their exact times.
  std::vector<Event> advance(Instant now);

  // A hung replica takes requests and aborts but runs no step; the step it was in goes on when it is let go.
  void hang(int replica, bool hung, Instant now);
  // As a crash and a start do: forgets all cached blocks and hangs, and drops all requests without events;
  // counters start at zero.
  void restart(Instant now);

  int replicas() const;
  ReplicaStats stats(int replica) const;
  const Profile& profile() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lmw::replica
