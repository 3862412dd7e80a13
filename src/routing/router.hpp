// Decides where each turn of one pool goes, and keeps count of it until it ends.
//
// A new conversation is placed on the least loaded replica (see placement.hpp); its later turns go home. When
// home has as many turns in flight as its spill threshold, that turn alone goes to the least loaded replica
// and the home stays.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "routing/cache_account.hpp"
#include "routing/conversation_table.hpp"
#include "routing/counters.hpp"
#include "routing/placement.hpp"
#include "routing/places.hpp"
#include "routing/prompt_estimate.hpp"
#include "routing/prompt_index.hpp"
#include "routing/recognition.hpp"
#include "routing/replica_set.hpp"
#include "routing/shadow.hpp"
#include "routing/turn_log.hpp"
#include "routing/why.hpp"

namespace lmw::routing {

// Whether turns wait for room in the KV cache (see places.hpp). With places on there is no spill: room
// decides.
enum class Admission {
  automatic,  // where the KV capacity of each replica is known
  on,
  off,
};

struct RouterSettings {
  bool affinity = true;
  std::optional<int> spill_threshold;  // nothing: max(1, max_num_seqs / 4) of each replica
  Admission admission = Admission::off;
  PlacesSettings places;
};

struct Decision {
  Outcome outcome = Outcome::balanced;
  EndpointId endpoint;
  std::optional<ReplicaId> replica;  // nothing: the engine chooses among its ranks
  std::optional<int> rank;           // to send as X-data-parallel-rank; nothing: send none of ours
};

class Router;

// A turn: held until there is room for it, then one in flight on its replica. Move-only; its end takes it out
// of the queue and of every gauge. A ticket that ends without finish() counts as cancelled.
class Ticket {
 public:
  Ticket(Ticket&& other) noexcept;
  Ticket& operator=(Ticket&&) = delete;
  ~Ticket();

  // Whether it still waits. Ask again once Router::take_admitted has named it.
  bool is_held();
  TurnId turn() const { return turn_; }

  // Once it is no longer held.
  const Decision& decision() const { return decision_; }
  std::optional<ConversationKey> conversation() const { return conversation_; }
  // Of its prompt, before the engine has counted them: an estimate.
  double prompt_tokens() const { return prompt_tokens_; }

  // The first content byte has come, `ttfb` after the request's last byte. Counted once. Of an answer that is
  // not streamed it comes with the last one.
  void first_content(Duration ttfb, Instant now, bool streamed = true);
  void finish(TurnEnd end, const TokenCounts& tokens, Instant now);

 private:
  friend class Router;
  Ticket(Router* router, Decision decision, Instant sent)
      : router_(router), decision_(decision), sent_(sent) {}

  Router* router_;
  TurnId turn_;  // 0: it asks for no place
  bool held_ = false;
  Decision decision_;
  std::optional<ConversationKey> conversation_;
  std::optional<ConversationKey> prompt_;  // whose last prompt it is, where that is remembered
  std::optional<PromptBreak> broken_;      // where its prompt differs from the one before it
  std::string client_;
  std::uint64_t bytes_ = 0;
  double prompt_tokens_ = 0;
  std::vector<EndpointId> tried_;  // could not take it
  Why why_;
  ShadowTurn shadow_;
  bool client_rank_ = false;  // the client's own rank header goes along, instead of ours
  bool is_response_ = false;
  Instant sent_;
  std::optional<Duration> ttfb_;
};

class Router {
 public:
  Router(RouterSettings settings, TableLimits limits)
      : settings_(settings), table_(limits), prompts_(limits.prompts), recogniser_(table_, prompts_) {}
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  // Nothing when no replica is up. With places on the ticket may be held.
  std::optional<Ticket> route(const TurnFacts& turn, Instant now);
  // Lets in who may be let in. Call it ten times a second while turns are held, and after settings have
  // changed.
  void admit(Instant now);
  // The turns that were let in since the last call.
  std::vector<TurnId> take_admitted() { return std::exchange(admitted_, {}); }
  bool places_on() const;
  // The replica could not take the turn: another one, if there is one it has not been tried on.
  bool move(Ticket& ticket, Instant now);
  // For requests that are no turns (lookups): an endpoint that is up, the least busy one.
  std::optional<EndpointId> lookup_endpoint(const std::vector<EndpointId>& tried = {}) const;

  // The engine behind an endpoint has started anew: homes on it are forgotten, its readings too.
  void new_run(EndpointId endpoint);

  ReplicaSet& replicas() { return replicas_; }
  const ReplicaSet& replicas() const { return replicas_; }
  const ConversationTable& table() const { return table_; }
  const PoolCounters& counters() const { return counters_; }
  const CacheCounters& cache() const { return cache_; }
  const PromptBreaks& prompt_breaks() const { return breaks_; }
  const TurnLog& log() const { return log_; }
  const Places& places() const { return places_; }
  std::size_t held() const { return held_.size(); }
  RouterSettings& settings() { return settings_; }
  const RouterSettings& settings() const { return settings_; }
  int in_flight() const { return in_flight_; }

 private:
  friend class Ticket;
  // Time does not go back, though some of who call have looked at the clock earlier than others.
  Instant advance(Instant now) { return now_ = std::max(now_, now); }
  // What decides a turn.
  enum class Rule {
    not_followed,  // its engine, which ignores ranks on this path
    pinned,        // the rank that its client names
    unrouted,      // the engine: affinity is off
    side,          // load: it is a request beside a conversation
    home,          // its conversation's home, or the room for it
    balanced,      // load: no conversation is known
  };
  Rule rule_for(const TurnFacts& turn, const Recognition& seen) const;
  std::optional<Decision> decide(Rule rule, const TurnFacts& turn, const Recognition& seen, Instant now);
  std::optional<Decision> client_pinned(std::string_view header) const;
  std::optional<Decision> to_replica(Outcome outcome, std::optional<ReplicaId> replica) const;
  std::optional<Decision> unrouted(Outcome outcome, const std::vector<EndpointId>& tried) const;
  std::optional<Decision> move_from_home(const Ticket& ticket, Instant now);
  std::optional<Decision> keyed(const TurnFacts& turn, const Recognition& seen, Instant now);
  std::optional<Decision> place(const TurnFacts& turn, const Recognition& seen, Conversation* conversation,
                                Instant now);
  Attraction attraction(const TurnFacts& turn, const Recognition& seen,
                        const Conversation* conversation) const;
  bool is_known_without_tools(const Recognition& seen) const;
  std::optional<Decision> beside(const Recognition& seen, Instant now);
  Why why(KeySource source, const Conversation* conversation, Instant now) const;
  ShadowTurn follow(const std::optional<TurnKey>& key, std::uint64_t head, bool begins);
  bool begins(const TurnFacts& turn, const Recognition& seen) const;
  std::optional<Counterfactual> compare(const Ticket& ticket, Conversation* conversation,
                                        const TokenCounts& tokens);
  void remember(Ticket& ticket, const TurnFacts& turn, const Recognition& seen, bool is_homed);
  Ticket hold(const TurnFacts& turn, const Recognition& seen, Instant now);
  void let_in(TurnId turn, ReplicaId replica, Instant now);
  void take(Ticket& ticket);
  void withdraw(Ticket& ticket);
  bool is_full(const Replica& replica) const;
  bool all_ignore_ranks() const;
  void adjust(Decision& decision, bool client_rank, bool is_response) const;
  void count(const Decision& decision, int step);
  void enter(const Decision& decision, const std::optional<ConversationKey>& conversation, int step);
  void end(Ticket& ticket, TurnEnd how, const TokenCounts& tokens, Instant now);
  CacheAccount account(const Ticket& ticket, Conversation* conversation, const TokenCounts& tokens,
                       Instant now);
  CacheFacts cache_facts(const Ticket& ticket) const;
  void keep(const Ticket& ticket, const TokenCounts& tokens);

  // Where side requests of conversations without a home have run. It is the home of one that turns out to
  // have no tools.
  static constexpr std::size_t max_side_runs = 4096;  // beyond it all are forgotten

  // A turn that waits, or was let in and not taken yet.
  struct Held {
    TurnKey key;
    KeySource source = KeySource::none;
    std::optional<std::uint64_t> window;
    bool has_tools = false;
    bool client_rank = false;
    bool is_response = false;
    bool replaced = false;
    bool begins = false;
    std::uint64_t head = 0;
    Instant since{};
    std::optional<Decision> decision;
    Why why{};
    ShadowTurn shadow{};
  };

  RouterSettings settings_;
  std::unordered_map<ConversationKey, ReplicaId> side_runs_;
  ReplicaSet replicas_;
  ConversationTable table_;
  Places places_{settings_.places, replicas_};
  std::map<TurnId, Held> held_;
  std::vector<TurnId> admitted_;
  std::uint64_t turns_asked_ = 0;
  PromptEstimate estimate_;
  PromptIndex prompts_;
  Recogniser recogniser_;
  PoolCounters counters_;
  CacheCounters cache_;
  PromptBreaks breaks_;
  TurnLog log_;
  Shadow shadow_{replicas_};
  int in_flight_ = 0;
  Instant now_{};  // the latest it has been told
};

}  // namespace lmw::routing
