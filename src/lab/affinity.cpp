#include "lab/affinity.hpp"

namespace lmw::lab {

Affinity::Affinity(const EngineFacts& engine) {
  auto& replicas = router_.replicas();
  const auto endpoint = replicas.endpoint("lab");
  std::vector<std::string> labels;
  for (int i = 0; i < engine.replicas; ++i) labels.push_back(std::to_string(i));
  replicas.set_ranks(endpoint, labels);
  replicas[endpoint].up = true;
  for (const auto id : replicas[endpoint].replicas) {
    replicas[id].max_num_seqs = engine.profile.max_num_seqs;
    replicas[id].kv_capacity_tokens = engine.profile.kv_tokens;
  }
}

void Affinity::arrived(const Arrival& turn, Instant now, Releases& out) {
  routing::TurnFacts facts;
  facts.key = routing::TurnKey{routing::ConversationKey(turn.conversation), routing::GroupKey(turn.session),
                               turn.parent.transform([](auto id) { return routing::ConversationKey(id); })};
  facts.has_tools = true;
  auto ticket = router_.route(facts, now).value();
  const auto& decision = ticket.decision();
  // A box of one replica needs no rank.
  out.push_back({turn.id, decision.rank.value_or(0), decision.outcome == routing::Outcome::spilled});
  in_flight_.emplace(turn.id, Sent{std::move(ticket), now});
}

void Affinity::first_token(TurnId turn, Instant now) {
  auto& sent = in_flight_.at(turn);
  sent.ticket.first_content(now - sent.arrived);
}

void Affinity::ended(const Ended& turn, Instant now, Releases&) {
  auto sent = std::move(in_flight_.extract(turn.turn).mapped());
  sent.ticket.finish(routing::TurnEnd::answered, {turn.prompt_tokens, turn.cached_tokens, turn.output_tokens},
                     now);
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

}  // namespace lmw::lab
