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
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/strong_id.hpp"
#include "base/time.hpp"
#include "routing/counters.hpp"
#include "routing/ids.hpp"
#include "routing/place_home.hpp"
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
  bool begins = false;    // a conversation: what of it is cached is what conversations share
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
  int places(ReplicaId replica) const { return home_of(replica).places; }
  std::uint64_t rotations() const { return rotations_; }  // places that changed hands

 private:
  using Conv = PlaceConversation;
  using Home = PlaceHome;
  struct Waiter {
    TurnId turn;
    PlaceRequest request;
    Conv* conv = nullptr;
    Instant arrived{};
    std::uint64_t tag = 0;  // lower ones are served first
  };
  static std::pair<std::uint64_t, TurnId> by_tag(const Waiter* waiter) { return {waiter->tag, waiter->turn}; }
  using Queue = std::map<TurnId, Waiter>;
  using Order = std::vector<const Waiter*>;
  struct Session {
    std::size_t turns = 0;   // waiting or under way
    std::uint64_t next = 0;  // tag of its next turn, but for the first few
  };
  struct Flight {
    Conv* conv = nullptr;
    GroupKey group;
    ReplicaId replica;
    std::uint64_t head = 0;
    bool begins = false;
    double expected = 0;  // tokens it should find cached
    double uncached = 0;
    Instant sent{};
  };
  struct Room {
    double left = 0;  // tokens, with the asked conversation in it
    bool empty = true;
  };

  Conv& conv(const PlaceRequest& request);
  Home& home_of(ReplicaId replica);
  const Home& home_of(ReplicaId replica) const;
  bool is_full(const Replica& replica, Instant now) const;
  double capacity(ReplicaId replica) const;
  double keeps_at_most(ReplicaId replica) const;
  double shared(std::uint64_t head) const;
  double own(const Conv& conv) const;
  double own(const PlaceRequest& request) const;
  double kept(const Conv& conv);
  bool has_home(const Conv& conv) const;
  double used_by(const Conv& conv) const;
  void look_through(ReplicaId replica);
  double chunk() const;
  double rebuild(const Conv& conv) const;
  Duration hold(const Conv& conv) const;
  bool is_overdue(const Waiter& waiter, Instant now) const {
    return now - waiter.arrived >= settings_.max_wait;
  }
  Room room(const Conv& asks, const PlaceRequest& request, ReplicaId replica,
            const Conv* without = nullptr) const;
  bool has_slot(const Replica& replica) const;
  bool fits(const Conv& asks, const PlaceRequest& request, ReplicaId replica,
            const Conv* without = nullptr) const;
  std::optional<Duration> expected_wait(std::size_t position) const;
  std::optional<ReplicaId> waits_for(const Waiter& waiter) const;

  bool is_due(const Conv& holder, Instant now);
  void expire_idle(Instant now);
  const Waiter* next_holder(Instant now);
  const Waiter* overdue_newcomer(Instant now) const;
  struct Found {
    std::optional<ReplicaId> fits;      // the replica to send to
    std::optional<ReplicaId> roomiest;  // else where most is left
  };
  struct Search;
  std::optional<Admitted> next_newcomer(Search& search, Instant now);
  enum class Where { home, elsewhere, anywhere };
  std::optional<Where> candidates(const Waiter& waiter, bool elsewhere, Instant now);
  // A look through the queue, for newcomers. It goes on from one next() to the following one; any event ends
  // it.
  struct Search {
    explicit Search(Queue::const_iterator first) : overdue(first) {}

    std::vector<bool> claimed;  // of each replica: it takes no turn now, or an older one waits for it
    std::ptrdiff_t unclaimed = 0;
    std::optional<std::uint64_t> head;  // of the newcomers for whom …
    std::vector<double> left;           // … so many tokens are left there; endless where nobody holds a place
    bool elsewhere = false;  // the second time, for those who have waited for their home long enough
    Queue::const_iterator overdue;
    std::optional<std::size_t> at;  // in order_, after the overdue ones
  };
  void make_way(Instant now);
  void begin_search();
  bool waits_in_vain(const Waiter& waiter, const Search& search) const;
  const Waiter* next_of(Search& search, Instant now);
  std::optional<Admitted> serve(const Waiter& waiter, Where where, Search& search, Instant now);
  void look_for(std::uint64_t head, Search& search) const;
  Found find_room(const Waiter& waiter, Where where, const Search& search, Instant now) const;
  void make_room(const Waiter& waiter, ReplicaId replica);
  Admitted send(const Waiter& waiter, ReplicaId replica, Instant now);
  void leave(Conv& conv);
  // Whatever changes what a place counts with is done in here.
  template <class Change>
  void change(Conv& conv, Change change);
  void count(Conv& conv);
  void uncount(Conv& conv);
  void forget(Conv& conv);
  void use(Conv& conv, ReplicaId home, Instant now);
  void learn(const Flight& flight, const Conv& conv, const TokenCounts& tokens, Instant now);
  void learn_shared(std::uint64_t head, double cached);

  // The queue. Of a session, those beyond its first few turns under way let other sessions' pass.
  void enqueue(TurnId turn, const PlaceRequest& request, Conv& conv, Instant now);
  void dequeue(TurnId turn);
  void done(GroupKey group);
  // In the order in which they are served, until `visit` returns false.
  template <class Visit>
  void in_order(Instant now, Visit visit) const;

  bool has_newcomers() const { return queue_.size() > static_cast<std::size_t>(holders_queued_); }

  static constexpr Duration least_hold = std::chrono::milliseconds(200);
  static constexpr std::size_t max_heads = 1024;  // beyond it all are learnt anew

  const PlacesSettings& settings_;
  const ReplicaSet& replicas_;
  std::unordered_map<ConversationKey, Conv> convs_;
  std::deque<Home> homes_;                            // by ReplicaId
  std::unordered_map<std::uint64_t, double> shared_;  // by head: tokens
  std::unordered_map<TurnId, Flight> flights_;
  Queue queue_;  // in order of arrival
  Order order_;  // by tag
  std::optional<Search> search_;
  int holders_queued_ = 0;  // turns that wait though their conversations hold a place
  std::list<Conv*> idle_;   // hold a place and have no turn under way, the longest idle first
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

template <class Change>
void Places::change(Conv& c, Change made) {
  if (c.place) uncount(c);
  made();
  if (c.place) count(c);
}

template <class Visit>
void Places::in_order(Instant now, Visit visit) const {
  for (const auto& [turn, waiter] : queue_) {  // who has waited too long comes first
    if (!is_overdue(waiter, now)) break;
    if (!visit(waiter)) return;
  }
  for (const auto* waiter : order_) {
    if (!is_overdue(*waiter, now) && !visit(*waiter)) return;
  }
}

}  // namespace lmw::routing
