#include "replica/scheduler.hpp"

#include <algorithm>

namespace lmw::replica {

struct Scheduler::Sequence {
  Request request;
  std::vector<BlockId> blocks;
  int computed = 0;           // tokens whose KV the blocks hold
  std::size_t published = 0;  // of the blocks, from the first
  int generated = 0;
  int scheduled = 0;  // tokens that the step under way computes
  std::optional<int> cached_tokens;
  int loaded_tokens = 0;  // of these, from the host tier
  Instant loaded{};       // when they have come

  int tokens() const { return request.prompt_tokens + generated; }
  bool finished() const { return generated == request.output_tokens; }
};

Scheduler::Scheduler(const Profile& profile, int replica)
    : cost_(profile.cost),
      slow_(profile.slow_factor(replica)),
      replica_(replica),
      block_size_(profile.block_size),
      max_num_seqs_(static_cast<std::size_t>(profile.max_num_seqs)),
      max_num_batched_tokens_(profile.max_num_batched_tokens),
      pool_(static_cast<int>(profile.kv_tokens / profile.block_size)),
      host_load_(from_seconds(profile.host_load * profile.block_size)) {
  if (profile.host_kv_tokens > 0)
    host_.emplace(static_cast<double>(profile.host_kv_tokens / profile.block_size));
}

Scheduler::Scheduler(Scheduler&&) noexcept = default;
Scheduler::~Scheduler() = default;

void Scheduler::add(Request request) {
  auto sequence = std::make_unique<Sequence>();
  sequence->request = std::move(request);
  waiting_.push_back(std::move(sequence));
}

void Scheduler::abort(RequestId id) {
  const auto is_it = [id](const SequencePtr& sequence) { return sequence->request.id == id; };
  if (const auto it = std::ranges::find_if(running_, is_it); it != running_.end()) {
    release(**it);
    running_.erase(it);
  } else if (const auto loads = std::ranges::find_if(loading_, is_it); loads != loading_.end()) {
    release(**loads);
    loading_.erase(loads);
  } else {
    std::erase_if(waiting_, is_it);
    blocked_.reset();
  }
}

std::optional<Duration> Scheduler::begin_step(Instant now) {
  budget_ = max_num_batched_tokens_;
  work_ = {};
  const bool preempted = schedule_running();
  if (!preempted) {
    admit_loaded(now);
    admit_waiting(now);
  }
  only_loads_ = budget_ == max_num_batched_tokens_ && !loading_.empty();
  if (only_loads_) return std::max(Duration(1), loading_.front()->loaded - now);
  if (budget_ == max_num_batched_tokens_) return std::nullopt;
  return from_seconds(slow_ * step_seconds(cost_, work_));
}

// Decoding comes before prefill without a sort: a chunk that leaves its prompt unfinished has used up the
// budget, so nothing was admitted behind it. Returns whether any request had to give way.
bool Scheduler::schedule_running() {
  bool preempted = false;
  for (std::size_t i = 0; i < running_.size() && budget_ > 0; ++i) {
    Sequence& sequence = *running_[i];
    const int tokens = std::min(sequence.tokens() - sequence.computed, budget_);
    while (!grow(sequence, sequence.computed + tokens)) {
      preempt_last();
      preempted = true;
      if (i == running_.size()) return preempted;  // it was the last one itself
    }
    schedule(sequence, tokens);
  }
  return preempted;
}

// What was admitted before and whose blocks have come. Where it has to wait for blocks, some request runs
// that will free them.
void Scheduler::admit_loaded(Instant now) {
  while (!loading_.empty() && loading_.front()->loaded <= now && budget_ > 0) {
    Sequence& first = *loading_.front();
    const int tokens = std::min(first.tokens() - first.computed, budget_);
    if (!grow(first, first.computed + tokens)) return;
    schedule(first, tokens);
    running_.push_back(std::move(loading_.front()));
    loading_.pop_front();
  }
}

void Scheduler::admit_waiting(Instant now) {
  while (!waiting_.empty() && running_.size() + loading_.size() < max_num_seqs_ && budget_ > 0) {
    Sequence& head = *waiting_.front();
    if (is_known_not_to_fit(head)) return;
    if (!find_room(head)) {
      blocked_ = {.id = head.request.id, .releases = pool_.releases()};
      return;
    }
    for (const BlockId block : head.blocks) pool_.hold(block);
    head.published = head.blocks.size();
    const int from_host = host_blocks(head);
    head.computed =
        std::max(static_cast<int>(head.blocks.size()) + from_host, loaded_blocks(head)) * block_size_;
    count_lookup(head, from_host);
    if (from_host > 0) {
      load(from_host, now);
      continue;
    }
    const int tokens = std::min(head.tokens() - head.computed, budget_);
    grow(head, head.computed + tokens);
    schedule(head, tokens);
    running_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

// As with blocks that are found, the last token is always computed.
int Scheduler::loaded_blocks(const Sequence& head) const {
  return std::min(head.request.loaded_tokens, head.tokens() - 1) / block_size_;
}

// Blocks beyond those found in the cache that the host tier has.
int Scheduler::host_blocks(const Sequence& head) const {
  if (!host_) return 0;
  const auto& keys = head.request.block_keys;
  const auto limit = std::min(keys.size(), static_cast<std::size_t>((head.tokens() - 1) / block_size_));
  return static_cast<int>(host_->leading_hits(std::span(keys).first(limit).subspan(head.blocks.size())));
}

// Takes blocks for what the head of the queue loads. Nobody finds them before they have come.
void Scheduler::load(int blocks, Instant now) {
  Sequence& head = *waiting_.front();
  for (int i = 0; i < blocks; ++i) head.blocks.push_back(pool_.take());
  link_free_ = std::max(link_free_, now) + blocks * host_load_;
  head.loaded = link_free_;
  loading_.push_back(std::move(waiting_.front()));
  waiting_.pop_front();
}

// Blocks that those that load will need beside what they have taken.
int Scheduler::reserved_blocks() const {
  int blocks = 0;
  for (const auto& sequence : loading_)
    blocks += blocks_for(sequence->tokens()) - static_cast<int>(sequence->blocks.size());
  return blocks;
}

// A long prefix is looked up once a release, not in every step. (Another request may compute a block that
// both share meanwhile; the head learns of it at the next release.)
bool Scheduler::is_known_not_to_fit(const Sequence& head) const {
  return blocked_ && blocked_->id == head.request.id && blocked_->releases == pool_.releases();
}

// Collects the cached blocks of the sequence's longest known prefix, not held yet. At least the last token is
// always computed, since its output is what comes next. False, and no blocks, when the whole sequence does
// not fit.
bool Scheduler::find_room(Sequence& head) {
  const auto& keys = head.request.block_keys;
  const auto limit = std::min(keys.size(), static_cast<std::size_t>((head.tokens() - 1) / block_size_));
  head.blocks.reserve(static_cast<std::size_t>(blocks_for(
      head.request.prompt_tokens + head.request.output_tokens)));  // so that decoding never allocates
  int need = blocks_for(head.tokens());
  while (head.blocks.size() < limit) {
    const BlockId block = pool_.find(keys[head.blocks.size()]);
    if (block == kNoBlock) break;
    if (!pool_.is_free(block)) --need;  // a free one is found, but leaves the free list like a new one
    head.blocks.push_back(block);
  }
  if (need + reserved_blocks() <= pool_.free_blocks()) return true;
  head.blocks.clear();
  return false;
}

void Scheduler::schedule(Sequence& sequence, int tokens) {
  sequence.scheduled = tokens;
  budget_ -= tokens;
  const bool decodes = sequence.generated > 0 && tokens == 1 && sequence.computed + 1 == sequence.tokens();
  if (decodes) {
    ++work_.decoding;
    work_.kv_tokens_read += sequence.computed;
  } else {
    work_.prefill_tokens += tokens;
    work_.attended += tokens * (sequence.computed + tokens / 2.0);
  }
}

// Makes room for the first `tokens` of the sequence. Blocks that the step fills are published at once: a
// request that is scheduled later in the same step may already share them, as in vLLM.
bool Scheduler::grow(Sequence& sequence, int tokens) {
  const auto want = static_cast<std::size_t>(blocks_for(tokens));
  auto& blocks = sequence.blocks;
  if (want > blocks.size() + static_cast<std::size_t>(pool_.free_blocks())) return false;
  while (blocks.size() < want) blocks.push_back(pool_.take());
  const auto& keys = sequence.request.block_keys;
  const auto full = std::min(keys.size(), static_cast<std::size_t>(tokens / block_size_));
  for (auto& i = sequence.published; i < full; ++i) pool_.publish(blocks[i], keys[i]);
  return true;
}

void Scheduler::preempt_last() {
  SequencePtr victim = std::move(running_.back());
  running_.pop_back();
  release(*victim);
  victim->computed = 0;
  victim->published = 0;
  ++counters_.preemptions;
  waiting_.push_front(std::move(victim));
}

void Scheduler::release(Sequence& sequence) {
  if (host_) host_->use(std::span(sequence.request.block_keys).first(sequence.published));
  pool_.release(sequence.blocks);
  sequence.blocks.clear();
}

void Scheduler::count_lookup(Sequence& sequence, int from_host) {
  if (sequence.cached_tokens) return;  // after a preemption: its own blocks would count as hits
  sequence.loaded_tokens = from_host * block_size_;
  const int hits = sequence.computed - sequence.loaded_tokens;
  sequence.cached_tokens = sequence.computed;
  counters_.prefix_cache_queries += sequence.request.prompt_tokens;
  counters_.prefix_cache_hits += hits;
  if (!host_) return;
  counters_.external_prefix_cache_queries += sequence.request.prompt_tokens - hits;
  counters_.external_prefix_cache_hits += sequence.loaded_tokens;
}

void Scheduler::end_step(Instant at, std::vector<Event>& events) {
  for (const SequencePtr& sequence : running_) {
    if (sequence->scheduled == 0) continue;
    sequence->computed += sequence->scheduled;
    sequence->scheduled = 0;
    if (sequence->computed == sequence->tokens()) emit_token(*sequence, at, events);
  }
  std::erase_if(running_, [](const SequencePtr& sequence) { return sequence->finished(); });
}

void Scheduler::emit_token(Sequence& sequence, Instant at, std::vector<Event>& events) {
  if (sequence.generated == 0) counters_.prompt_tokens += sequence.request.prompt_tokens;
  ++sequence.generated;
  ++counters_.generation_tokens;
  Event event{.kind = Event::Kind::token,
              .id = sequence.request.id,
              .at = at,
              .replica = replica_,
              .generated = sequence.generated,
              .cached_tokens = *sequence.cached_tokens,
              .loaded_tokens = sequence.loaded_tokens};
  events.push_back(event);
  if (!sequence.finished()) return;
  event.kind = Event::Kind::finished;
  events.push_back(event);
  ++counters_.finished;
  release(sequence);
}

ReplicaStats Scheduler::stats() const {
  ReplicaStats stats = counters_;
  stats.running = static_cast<int>(running_.size());
  stats.waiting = static_cast<int>(waiting_.size() + loading_.size());
  stats.kv_used = static_cast<double>(pool_.size() - pool_.free_blocks()) / std::max(pool_.size(), 1);
  return stats;
}

}  // namespace lmw::replica
