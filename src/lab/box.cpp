#include "lab/box.hpp"

#include <algorithm>

namespace lmw::lab {

namespace {

// Whether the engine would take it at all.
bool is_too_long(const workload::Turn& turn, const replica::Profile& profile) {
  const std::int64_t tokens = std::int64_t{turn.prompt_tokens} + turn.output_tokens;
  return tokens > profile.max_model_len ||
         tokens > profile.kv_tokens / profile.block_size * profile.block_size;
}

}  // namespace

Box::Box(const BoxOptions& options, workload::SessionSource& sessions)
    : engine_({.profile = options.profile,
               .replicas = options.replicas,
               .balancer = options.policy.balancer,
               .api_servers = options.api_servers,
               .seed = options.seed}),
      policy_(options.policy.make({engine_.profile(), options.replicas, options.seed, options.kv_told})),
      clients_(sessions, options.seed) {
  if (options.policy.common_cache > 0) {
    common_cache_.emplace(options.policy.common_cache * options.replicas *
                          static_cast<double>(options.profile.kv_tokens / options.profile.block_size));
  }
}

std::optional<Instant> Box::next_time() const {
  std::optional<Instant> next = std::min(scrape_at_, poll_at_);
  const auto consider = [&](std::optional<Instant> at) {
    if (at) next = std::min(*next, *at);
  };
  consider(engine_.next_due());
  consider(clients_.next_due());
  consider(policy_->wake_at());
  if (!answers_.empty()) consider(answers_.front().at);
  if (!requests_.empty()) consider(requests_.begin()->first);
  return next;
}

void Box::run_until(Instant end) {
  for (auto next = next_time(); next && *next < end; next = next_time()) {
    now_ = std::max(now_, *next);
    act();
  }
  now_ = std::max(now_, end);
}

bool Box::is_idle() const {
  return requests_.empty() && answers_.empty() && in_gateway_or_engine_ == 0 && !clients_.next_due();
}

// One of what is due now: what frees something comes first.
void Box::act() {
  const auto due = [&](const auto& at) { return at && *at <= now_; };
  if (due(engine_.next_due())) {
    take(engine_.advance(now_));
  } else if (!answers_.empty() && answers_.front().at <= now_) {
    const auto turn = answers_.front().turn;
    answers_.pop_front();
    clients_.answered(turn, false, now_);
  } else if (due(clients_.next_due())) {
    send_due();
  } else if (!requests_.empty() && requests_.begin()->first <= now_) {
    reach_gateway(requests_.extract(requests_.begin()).mapped());
  } else if (due(policy_->wake_at())) {
    Releases releases;
    policy_->woken(now_, releases);
    release(releases, {});
  } else if (scrape_at_ <= now_) {
    scrape();
  } else {
    poll();
  }
}

void Box::send_due() {
  std::vector<TurnId> sent;
  clients_.advance(now_, sent);
  for (const auto turn : sent)
    requests_.emplace(now_ + engine_.profile().way_in(clients_.content(turn).prompt_tokens), turn);
}

void Box::reach_gateway(TurnId turn) {
  const auto& content = clients_.content(turn);
  if (is_too_long(content, engine_.profile())) {
    clients_.answered(turn, true, now_);
    return;
  }
  ++in_gateway_or_engine_;
  const auto& blocks = blocks_[turn] = workload::block_numbers(content.content);
  Releases releases;
  policy_->arrived({.id = turn,
                    .conversation = clients_.conversation(turn),
                    .session = clients_.turns()[turn].session,
                    .parent = clients_.parent(turn),
                    .prompt_tokens = content.prompt_tokens,
                    .blocks = blocks},
                   now_, releases);
  release(releases, turn);
}

void Box::release(const Releases& releases, std::optional<TurnId> arrived) {
  for (const auto& it : releases) {
    const auto& content = clients_.content(it.turn);
    auto& blocks = blocks_.at(it.turn);
    replica::Request request{
        .id = it.turn, .prompt_tokens = content.prompt_tokens, .output_tokens = content.output_tokens};
    if (common_cache_) {
      request.loaded_tokens =
          static_cast<int>(common_cache_->leading_hits(blocks)) * engine_.profile().block_size;
      request.block_keys = blocks;
    } else {
      request.block_keys = std::move(blocks);
    }
    auto& turn = clients_.turns()[it.turn];
    turn.replica = engine_.submit(std::move(request), it.replica, now_);
    turn.held = it.turn != arrived;
    turn.spilled = it.spilled;
    if (const auto before = clients_.before(it.turn)) {
      turn.stayed = clients_.turns()[*before].replica == turn.replica;
    }
  }
}

void Box::take(const std::vector<replica::Event>& events) {
  for (const auto& event : events) {
    auto& turn = clients_.turns()[event.id];
    if (event.kind == replica::Event::Kind::token) {
      if (event.generated == 1) {
        turn.first = event.at + engine_.profile().network;
        turn.cached_tokens = event.cached_tokens;
        policy_->first_token(event.id, event.at);
      }
      continue;
    }
    turn.output_tokens = event.generated;
    const auto blocks = std::move(blocks_.extract(event.id).mapped());
    if (common_cache_) common_cache_->use(blocks);
    --in_gateway_or_engine_;
    answers_.push_back({event.at + engine_.profile().network, event.id});
    Releases releases;
    policy_->ended({event.id, turn.prompt_tokens, event.cached_tokens, event.generated}, event.at, releases);
    release(releases, {});
  }
}

std::vector<replica::ReplicaStats> Box::stats() const {
  std::vector<replica::ReplicaStats> all;
  for (int i = 0; i < engine_.replicas(); ++i) all.push_back(engine_.stats(i));
  return all;
}

void Box::scrape() {
  policy_->read(stats(), now_);
  scrape_at_ = now_ + scrape_interval;
}

void Box::poll() {
  ++polls_;
  for (const auto& replica : stats()) busy_ += replica.running + replica.waiting > 0;
  poll_at_ = now_ + poll_interval;
}

report::EngineSums Box::sums() const {
  report::EngineCounters counters;
  for (const auto& replica : stats()) {
    counters.queries += replica.prefix_cache_queries;
    counters.hits += replica.prefix_cache_hits;
  }
  return {.engines = {counters}, .polls = polls_, .busy = busy_};
}

}  // namespace lmw::lab
