// The clients: who sends which turn when. In a closed loop each client goes through one session after another
// and sends a turn when what it waits for has ended; open, sessions come by themselves.
#pragma once

#include <map>
#include <memory>
#include <queue>
#include <vector>

#include "base/random.hpp"
#include "report/turn.hpp"
#include "workload/session_source.hpp"

namespace lmw::workload {

// Of a turn that was sent: 0, 1, …
using TurnId = std::uint64_t;

enum class Arrivals {
  closed,    // so many clients, each with one session after another
  poisson,   // sessions come at random
  recorded,  // each turn at its time in the trace
};

struct Load {
  Arrivals arrivals = Arrivals::closed;
  int sessions = 0;              // closed
  Duration stagger{};            // closed: new clients begin so long one after another
  double sessions_per_hour = 0;  // poisson, in the mean
};

class Clients {
 public:
  // The source must outlive it.
  Clients(SessionSource& source, std::uint64_t seed) : source_(source), random_(mix64(seed)) {}
  ~Clients();

  // Closed: clients 0 … sessions - 1 are at work from now on; those beyond send nothing any more. At random:
  // from now on, each session in a closed loop of its own. Recorded: each turn is sent at its time whatever
  // came of the one before. How sessions arrive must not change.
  void begin(const Load& load, Instant now);

  // When the next turn is due, or something before one.
  std::optional<Instant> next_due() const;
  // Appends the turns that are sent at `now`, which is next_due().
  void advance(Instant now, std::vector<TurnId>& sent);

  // Of a turn that was sent and has not ended.
  const Turn& content(TurnId turn) const;
  const Agent& agent(TurnId turn) const;
  std::size_t agents(TurnId turn) const;  // of its session
  // Its session's id plus the agent's number.
  std::uint64_t conversation(TurnId turn) const;
  std::optional<std::uint64_t> parent(TurnId turn) const;

  // The last byte of the answer has come. A turn that failed ends its session.
  void answered(TurnId turn, bool failed, Instant now);

  // All turns so far by id. Others fill in what they learn of them; `done` is set by answered().
  std::vector<report::Turn>& turns() { return turns_; }
  const std::vector<report::Turn>& turns() const { return turns_; }
  // The turn before of the same conversation.
  std::optional<TurnId> before(TurnId turn) const;

 private:
  struct Running;
  // What is due: a turn of a session, or without one the start of a session by a client.
  struct Due {
    Instant at;
    std::uint64_t order;
    int client = 0;
    std::shared_ptr<Running> session = {};
    std::size_t agent = 0;
    std::size_t turn = 0;

    bool operator>(const Due& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  struct Sent {
    std::shared_ptr<Running> session;
    std::size_t agent;
    std::size_t turn;
    std::optional<TurnId> before;
  };

  void work(int count, Duration stagger, Instant now);
  void come(Instant now);
  void replay(Instant now);
  void add(Due due);
  void start(int client, Instant now);
  void schedule_recorded(Instant now);
  TurnId send(const Due& due, Instant now);
  void start_subagents(const std::shared_ptr<Running>& session, std::size_t after, Instant now);
  void go_on(const std::shared_ptr<Running>& session, std::size_t agent, Instant now);
  void end_agent(const std::shared_ptr<Running>& session, std::size_t agent, Instant now);
  bool is_retired(const Running& session) const;

  SessionSource& source_;
  Random random_;
  double sessions_per_hour_ = 0;
  int clients_ = 0;
  std::vector<bool> at_work_;
  bool recorded_pace_ = false;
  std::uint64_t order_ = 0;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::map<TurnId, Sent> sent_;
  std::vector<report::Turn> turns_;
};

}  // namespace lmw::workload
