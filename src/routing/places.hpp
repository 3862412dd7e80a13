// Admission when live conversations × context exceed the KV cache. Plain affinity then evicts each prefix
// just before its conversation comes back, and every turn pays a full prefill. So:
//
// - A conversation that was sent holds a *place* on that replica, as large as its context; its turns go there
// at
//   once. Everybody else waits in one queue for room. When everything fits, nobody ever waits.
// - A place changes hands only while fewer than `wait_share` of the turns sent came out of the queue: under
// one
//   half, the median turn is instant. (Little: sessions / throughput is what all waits come to; a share f of
//   the turns that wait alone wait mean / f each.)
//
// docs/overload.md explains the rule and its figures. Pure: events go in, turns to send come out.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/strong_id.hpp"
#include "base/time.hpp"
#include "routing/counters.hpp"
#include "routing/ids.hpp"
#include "routing/placement.hpp"
#include "routing/replica_set.hpp"

namespace lmw::routing {

using TurnId = StrongId<struct TurnTag, std::uint64_t>;

struct PlacesSettings {
  double wait_share = 0.45;  // the knob: the share of turns that may wait, above 0, at most 1
  // A turn that has waited so long gets the next room there is, whoever holds it.
  Duration max_wait = std::chrono::seconds(120);
};

// What a turn asks for. Tokens are estimates.
struct PlaceRequest {
  ConversationKey conversation;
  GroupKey group;
  std::uint64_t head = 0;  // fingerprint of system prompt and tools: what conversations share
  double prompt = 0;
  bool first = false;     // of its conversation
  bool replaced = false;  // its old prompt is gone: home has nothing for it
  Attraction attraction;  // of a conversation without a home
};

struct Admitted {
  TurnId turn;
  ReplicaId replica;
};

// A turn that waits, for those who look.
struct Waiting {
  TurnId turn;
  std::size_t position = 1;               // in the order in which they are served; 1 is the next one
  std::optional<Duration> expected_wait;  // from now; nothing while too little is known
  double needs = 0;                       // tokens
  // Where it waits for room: at home while something of it is kept there, else where most is left. Nothing:
  // no replica is up.
  std::optional<ReplicaId> replica;
  double room = 0;  // tokens left there beside those that hold a place
  int running = 0;  // of these, how many have a turn under way
  int pausing = 0;  // … and how many none
};

class Places {
 public:
  Places(const PlacesSettings& settings, const ReplicaSet& replicas)
      : settings_(settings), replicas_(replicas) {}

  // A turn has come; it waits until next() sends it. Later turns have higher ids.
  void arrive(TurnId turn, const PlaceRequest& request, Instant now);
  // It no longer waits: its client has left, or it was refused.
  void withdraw(TurnId turn);
  // The next turn to send. Call it after each event, and ten times a second while turns wait, until it has
  // none.
  std::optional<Admitted> next(Instant now);
  // A sent turn: the first content has come; it has ended.
  void first_content(TurnId turn, Instant now);
  void end(TurnId turn, const TokenCounts& tokens, Instant now);
  // A sent turn goes to another replica after all.
  void move(TurnId turn, ReplicaId replica, Instant now);
  // The replica's cache is gone: its engine has started anew, or is down.
  void forget(ReplicaId replica);

  std::size_t waiting() const { return queue_.size(); }
  // All that wait, in the order in which they are served. Costs as much as looking at each once.
  std::vector<Waiting> waiting_turns(Instant now) const;
  // About how long a turn that comes now and finds no room would wait; nothing while too little is known.
  std::optional<Duration> expected_wait() const { return expected_wait(queue_.size() + 1); }
  int places(ReplicaId replica) const;
  std::uint64_t rotations() const { return rotations_; }  // places that changed hands

 private:
  std::optional<Duration> expected_wait(std::size_t position) const;
  struct Conv {
    ConversationKey key;
    std::uint64_t head = 0;
    std::optional<ReplicaId> home;
    bool place = false;
    int in_flight = 0;
    double context = 0;  // tokens after its last turn
    double prompt = 0;   // of the last turn sent, estimated
    Instant since{};     // it holds its place
    Instant used{};      // last sent or ended
    int queued = 0;      // turns that wait
  };
  struct Waiter {
    TurnId turn;
    PlaceRequest request;
    Instant arrived{};
    std::uint64_t tag = 0;  // lower ones are served first
  };
  struct Session {
    std::size_t turns = 0;   // waiting or under way
    std::uint64_t next = 0;  // tag of its next turn, but for the first few
  };
  struct Flight {
    ConversationKey conversation;
    GroupKey group;
    ReplicaId replica;
    std::uint64_t head = 0;
    bool first = false;
    double expected = 0;  // tokens it should find cached
    double uncached = 0;
    Instant sent{};
  };
  struct Learnt {               // of a replica
    double rate = 3'200;        // prefill tokens/s
    double capacity = 131'072;  // where the engine does not tell it
    Instant cut{};
    std::list<ConversationKey> recent;  // homed here, the last used first
  };

  Conv& conv(const PlaceRequest& request);
  bool is_full(const Replica& replica, Instant now) const;
  Learnt& learnt(ReplicaId replica);
  double capacity(ReplicaId replica) const;
  double keeps_at_most(ReplicaId replica) const;
  double shared(std::uint64_t head) const;
  double own(const Conv& conv) const;
  double own(const PlaceRequest& request) const;
  double kept(const Conv& conv) const;
  bool has_home(const Conv& conv) const;
  double chunk() const;
  double rebuild(const Conv& conv) const;
  Duration hold(const Conv& conv) const;
  bool is_overdue(const Waiter& waiter, Instant now) const {
    return now - waiter.arrived >= settings_.max_wait;
  }
  struct Room {
    double left = 0;  // tokens, with the asked conversation in it
    bool empty = true;
  };
  Room room(const Conv& asks, const PlaceRequest& request, ReplicaId replica, const Conv* without) const;
  bool fits(const Conv& asks, const PlaceRequest& request, ReplicaId replica,
            const Conv* without = nullptr) const;
  std::optional<ReplicaId> waits_for(const Conv& asks, const PlaceRequest& request) const;
  bool is_due(const Conv& holder, Instant now);
  void expire_idle(Instant now);
  const Waiter* next_holder();
  std::optional<Admitted> next_newcomer(bool elsewhere, std::vector<ReplicaId>& claimed, Instant now);
  void make_room(const Conv& asks, const PlaceRequest& request, ReplicaId replica);
  Admitted send(const Waiter& waiter, ReplicaId replica, Instant now);
  void leave(Conv& conv);
  void forget(Conv& conv);
  void use(Conv& conv, ReplicaId home, Instant now);
  void trim(ReplicaId replica);
  void learn(const Flight& flight, const Conv& conv, const TokenCounts& tokens, Instant now);
  std::uint64_t tag_of(GroupKey group);
  void done(GroupKey group);
  std::vector<const Waiter*> in_order(Instant now) const;

  static constexpr std::size_t max_heads = 1024;  // beyond it all are learnt anew

  const PlacesSettings& settings_;
  const ReplicaSet& replicas_;
  std::unordered_map<ConversationKey, Conv> convs_;
  std::map<ReplicaId, Learnt> learnt_;
  std::unordered_map<std::uint64_t, double> shared_;  // by head: tokens
  std::unordered_map<TurnId, Flight> flights_;
  std::map<TurnId, Waiter> queue_;  // in order of arrival
  std::unordered_map<GroupKey, Session> sessions_;
  std::uint64_t served_ = 0;  // the highest tag that was sent
  double output_ = 200;       // generated tokens a turn
  double context_ = 8'192;    // tokens after a turn
  double gap_ = 1;            // seconds: 90 % of the gaps worth holding for are shorter
  double queued_share_ = 0;   // of the latest turns, how many came out of the queue
  double sends_a_second_ = 0;
  Instant last_send_{};
  std::uint64_t rotations_ = 0;
};

}  // namespace lmw::routing
