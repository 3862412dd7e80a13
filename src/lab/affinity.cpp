#include "lab/affinity.hpp"

namespace lmw::lab {

namespace {

// Only the sizes of the prompts are known here: a body has so many bytes a token, as of a real tokenizer.
constexpr std::uint64_t bytes_per_token = 4;

routing::TurnFacts facts_of(const Arrival& turn) {
  routing::TurnFacts facts;
  facts.key = routing::TurnKey{routing::ConversationKey(turn.conversation), routing::GroupKey(turn.session),
                               turn.parent.transform([](auto id) { return routing::ConversationKey(id); })};
  facts.has_tools = true;
  facts.bytes = static_cast<std::uint64_t>(turn.prompt_tokens) * bytes_per_token;
  facts.head = turn.blocks.empty() ? 0 : turn.blocks.front();
  return facts;
}

}  // namespace

Affinity::Affinity(const EngineFacts& engine, const routing::RouterSettings& settings)
    : router_(settings, {}) {
  auto& replicas = router_.replicas();
  const auto endpoint = replicas.endpoint("lab");
  std::vector<std::string> labels;
  for (int i = 0; i < engine.replicas; ++i) labels.push_back(std::to_string(i));
  replicas.set_ranks(endpoint, labels);
  replicas[endpoint].up = true;
  for (const auto id : replicas[endpoint].replicas) {
    replicas[id].max_num_seqs = engine.profile.max_num_seqs;
    if (engine.kv_told > 0) {
      replicas[id].kv_capacity_tokens =
          static_cast<std::int64_t>(engine.kv_told * static_cast<double>(engine.profile.kv_tokens));
    }
    replicas[id].host_kv_tokens = engine.profile.host_kv_tokens;
    replicas[id].host_kv_rate = 1 / engine.profile.host_load;
  }
}

void Affinity::arrived(const Arrival& turn, Instant now, Releases& out) {
  auto ticket = router_.route(facts_of(turn), now).value();
  asked_ = now;
  if (ticket.is_held()) {
    held_.emplace(ticket.turn(), turn.id);
  } else {
    release(turn.id, ticket.decision(), out);
  }
  turns_.emplace(turn.id, Sent{std::move(ticket), now});
  release_admitted(out);
}

void Affinity::release(TurnId turn, const routing::Decision& decision, Releases& out) const {
  // A box of one replica needs no rank.
  out.push_back({turn, decision.rank.value_or(0), decision.outcome == routing::Outcome::spilled});
}

void Affinity::release_admitted(Releases& out) {
  for (const auto admitted : router_.take_admitted()) {
    const auto found = held_.find(admitted);
    if (found == held_.end()) continue;  // it never waited
    auto& ticket = turns_.at(found->second).ticket;
    if (ticket.is_held()) continue;
    release(found->second, ticket.decision(), out);
    held_.erase(found);
  }
}

void Affinity::first_token(TurnId turn, Instant now) {
  auto& sent = turns_.at(turn);
  sent.ticket.first_content(now - sent.arrived, now);
}

void Affinity::ended(const Ended& turn, Instant now, Releases& out) {
  {
    auto sent = std::move(turns_.extract(turn.turn).mapped());
    sent.ticket.finish(routing::TurnEnd::answered,
                       {turn.prompt_tokens, turn.cached_tokens, turn.output_tokens}, now);
  }
  release_admitted(out);
}

void Affinity::read(std::span<const replica::ReplicaStats> stats, Instant now) {
  auto& replicas = router_.replicas();
  const auto& ids = replicas.endpoints().front().replicas;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    replicas.record(ids[i], {.running = stats[i].running,
                             .waiting = stats[i].waiting,
                             .kv_used = stats[i].kv_used,
                             .prefix_queries = stats[i].prefix_cache_queries,
                             .prefix_hits = stats[i].prefix_cache_hits,
                             .at = now});
  }
}

std::optional<Instant> Affinity::wake_at() const {
  if (held_.empty()) return std::nullopt;
  return asked_ + admit_interval;
}

void Affinity::woken(Instant now, Releases& out) {
  asked_ = now;
  router_.admit(now);
  release_admitted(out);
}

}  // namespace lmw::lab
