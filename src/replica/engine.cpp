#include "replica/engine.hpp"

#include <cassert>
#include <unordered_map>
#include <utility>

#include "base/random.hpp"
#include "replica/balancer.hpp"
#include "replica/scheduler.hpp"

namespace lmw::replica {
namespace {

struct Replica {
  explicit Replica(Scheduler given) : scheduler(std::move(given)) {}

  Scheduler scheduler;
  std::optional<Instant> step_end;  // of the step under way
  std::optional<Duration> rest;     // of the step in which it hangs
  bool hung = false;

  void wake(Instant now) {
    if (hung || (step_end && !scheduler.only_loads())) return;
    if (const auto length = scheduler.begin_step(now)) step_end = now + *length;
  }
};

// Where a live request is, and through which API server it came.
struct Route {
  int replica = 0;
  int api_server = 0;
};

}  // namespace

struct Engine::State {
  explicit State(EngineOptions given)
      : options(std::move(given)),
        random(options.seed),
        balancer(options.balancer, options.replicas, options.api_servers) {
    start_replicas();
  }

  Replica& at(int replica) { return replicas[static_cast<std::size_t>(replica)]; }

  void start_replicas() {
    replicas.clear();
    for (int i = 0; i < options.replicas; ++i) replicas.emplace_back(Scheduler(options.profile, i));
  }

  // The replica whose step ends first, the lowest of those that end at once; null when no step is under way.
  const Replica* first_to_end() const {
    const Replica* first = nullptr;
    for (const Replica& replica : replicas) {
      if (replica.step_end && (!first || *replica.step_end < *first->step_end)) first = &replica;
    }
    return first;
  }

  // Every call does this first, so that what it changes takes effect at its time and not earlier.
  void run_until(Instant now) {
    for (const Replica* first = first_to_end(); first && *first->step_end <= now; first = first_to_end()) {
      end_step(at(static_cast<int>(first - replicas.data())));
    }
  }

  void end_step(Replica& replica) {
    const Instant end = *std::exchange(replica.step_end, std::nullopt);
    const std::size_t had = ready.size();
    replica.scheduler.end_step(end, ready);
    for (const Event& event : std::span(ready).subspan(had)) {
      if (event.kind == Event::Kind::finished) forget(event.id);
    }
    replica.wake(end);
  }

  void forget(RequestId id) {
    const auto it = live.find(id);
    balancer.ended(it->second.api_server, it->second.replica);
    live.erase(it);
  }

  int choose(int api_server, Instant now) {
    loads.clear();
    for (const Replica& replica : replicas) {
      const ReplicaStats stats = replica.scheduler.stats();
      loads.push_back({.waiting = stats.waiting, .running = stats.running, .kv_used = stats.kv_used});
    }
    return balancer.choose(api_server, loads, now);
  }

  EngineOptions options;
  Random random;
  LoadBalancer balancer;
  std::vector<Replica> replicas;
  std::unordered_map<RequestId, Route> live;
  std::vector<Event> ready;        // of steps that ended and not handed out yet
  std::vector<ReplicaLoad> loads;  // scratch of choose()
};

Engine::Engine(EngineOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Engine::~Engine() = default;

int Engine::submit(Request request, std::optional<int> rank, Instant now) {
  const Profile& profile = state_->options.profile;
  assert(request.prompt_tokens >= 1 && request.output_tokens >= 1);
  assert(request.prompt_tokens + request.output_tokens <=
         profile.kv_tokens / profile.block_size * profile.block_size);
  assert(!rank || (*rank >= 0 && *rank < replicas()));
  state_->run_until(now);
  const int api_server = static_cast<int>(state_->random.between(0, state_->options.api_servers - 1));
  const int replica = rank ? *rank : state_->choose(api_server, now);
  state_->balancer.sent(api_server, replica);
  [[maybe_unused]] const bool is_new = state_->live.try_emplace(request.id, replica, api_server).second;
  assert(is_new);
  state_->at(replica).scheduler.add(std::move(request));
  state_->at(replica).wake(now);
  return replica;
}

void Engine::abort(RequestId id, Instant now) {
  state_->run_until(now);
  std::erase_if(state_->ready, [id](const Event& event) { return event.id == id; });
  const auto it = state_->live.find(id);
  if (it == state_->live.end()) return;
  state_->at(it->second.replica).scheduler.abort(id);
  state_->forget(id);
}

std::optional<Instant> Engine::next_due() const {
  if (!state_->ready.empty()) return state_->ready.front().at;
  const Replica* first = state_->first_to_end();
  return first ? first->step_end : std::nullopt;
}

std::vector<Event> Engine::advance(Instant now) {
  state_->run_until(now);
  return std::exchange(state_->ready, {});
}

void Engine::hang(int replica, bool hung, Instant now) {
  state_->run_until(now);
  Replica& it = state_->at(replica);
  if (it.hung == hung) return;
  it.hung = hung;
  if (hung) {
    if (it.step_end) it.rest = *std::exchange(it.step_end, std::nullopt) - now;
  } else if (it.rest) {
    it.step_end = now + *std::exchange(it.rest, std::nullopt);
  } else {
    it.wake(now);
  }
}

void Engine::restart(Instant now) {
  state_->run_until(now);
  state_->ready.clear();
  state_->live.clear();
  const EngineOptions& options = state_->options;
  state_->balancer = LoadBalancer(options.balancer, options.replicas, options.api_servers);
  state_->start_replicas();
}

int Engine::replicas() const { return state_->options.replicas; }
ReplicaStats Engine::stats(int replica) const { return state_->at(replica).scheduler.stats(); }
const Profile& Engine::profile() const { return state_->options.profile; }

}  // namespace lmw::replica
