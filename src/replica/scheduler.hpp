// One replica: vLLM V1's scheduler over a block cache, a step at a time.
//
// A step computes at most max_num_batched_tokens. Requests that run come first, in the order in which they
// were admitted; what is left of the budget admits from the waiting queue, first come first served, and only
// a request whose whole sequence fits. A prompt longer than the budget is read in chunks, beside the decoding
// of the others. When a running request needs a block and none is free, the one admitted last goes back to
// the head of the queue and will compute again what the cache has lost by then.
//
// With a host tier, what a request has computed is copied there when the request ends or gives way. A request
// that finds the rest of its prefix there takes its blocks at once and is scheduled when they have been
// loaded, one request's after another's, while the others compute.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/time.hpp"
#include "replica/block_lru.hpp"
#include "replica/engine.hpp"
#include "replica/kv_pool.hpp"
#include "replica/profile.hpp"

namespace lmw::replica {

class Scheduler {
 public:
  Scheduler(const Profile& profile, int replica);
  Scheduler(Scheduler&&) noexcept;
  ~Scheduler();

  void add(Request request);
  // Frees its blocks and forgets it, in whatever state it is. A step under way keeps its length.
  void abort(RequestId id);

  // Plans the next step and returns how long it takes; nothing when there is no work. end_step() must follow.
  std::optional<Duration> begin_step(Instant now);
  // The step that was planned computes nothing: it lasts until blocks have been loaded. Another one may be
  // planned before it ends.
  bool only_loads() const { return only_loads_; }
  // Appends the events of the step that ends `at`.
  void end_step(Instant at, std::vector<Event>& events);

  ReplicaStats stats() const;

 private:
  struct Sequence;
  using SequencePtr = std::unique_ptr<Sequence>;

  // The queue's head did not fit, and can't until a block becomes free.
  struct Blocked {
    RequestId id = 0;
    std::uint64_t releases = 0;
  };

  bool schedule_running();
  void admit_loaded(Instant now);
  void admit_waiting(Instant now);
  bool is_known_not_to_fit(const Sequence& head) const;
  bool find_room(Sequence& head);
  int loaded_blocks(const Sequence& head) const;
  int host_blocks(const Sequence& head) const;
  void load(int blocks, Instant now);
  int reserved_blocks() const;
  void schedule(Sequence& sequence, int tokens);
  bool grow(Sequence& sequence, int tokens);
  void preempt_last();
  void release(Sequence& sequence);
  void count_lookup(Sequence& sequence, int from_host);
  void emit_token(Sequence& sequence, Instant at, std::vector<Event>& events);
  int blocks_for(int tokens) const { return (tokens + block_size_ - 1) / block_size_; }

  StepCost cost_;
  double slow_;
  int replica_;
  int block_size_;
  std::size_t max_num_seqs_;
  int max_num_batched_tokens_;

  KvPool pool_;
  std::optional<BlockLru> host_;
  Duration host_load_;               // of one block
  Instant link_free_{};              // all loads so far are done by then
  std::deque<SequencePtr> loading_;  // in order of their loads
  bool only_loads_ = false;
  std::deque<SequencePtr> waiting_;
  std::vector<SequencePtr> running_;  // in order of admission
  std::optional<Blocked> blocked_;
  int budget_ = 0;  // tokens left in the step that is being planned
  StepWork work_;
  ReplicaStats counters_;  // its gauges are filled in by stats()
};

}  // namespace lmw::replica
