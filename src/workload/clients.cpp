#include "workload/clients.hpp"

#include <algorithm>

namespace lmw::workload {

struct Clients::Running {
  struct Agent {
    std::size_t next = 0;        // its turn to send
    std::optional<TurnId> last;  // the turn sent last
    bool waits = false;          // for the ends of sub-agents
    bool ended = false;
  };

  Session script;
  int client = 0;
  std::size_t turns_left = 0;  // to be answered
  bool broken = false;         // a turn has failed: the others come to nothing
  std::vector<Agent> agents;

  Running(Session given, int of_client)
      : script(std::move(given)), client(of_client), agents(script.agents.size()) {
    for (const auto& agent : script.agents) turns_left += agent.turns.size();
  }

  // Whether all sub-agents that the main agent's next turn waits for have ended.
  bool are_joined() const {
    for (std::size_t i = 1; i < agents.size(); ++i) {
      const auto joined_by = static_cast<std::size_t>(script.agents[i].joined_by);
      if (joined_by > 0 && joined_by <= agents[0].next && !agents[i].ended) return false;
    }
    return true;
  }
};

Clients::~Clients() = default;

void Clients::add(Due due) {
  due.order = order_++;
  due_.push(std::move(due));
}

void Clients::begin(const Load& load, Instant now) {
  switch (load.arrivals) {
    case Arrivals::closed:
      work(load.sessions, load.stagger, now);
      break;
    case Arrivals::poisson:
      sessions_per_hour_ = load.sessions_per_hour;
      come(now);
      break;
    case Arrivals::recorded:
      replay(now);
      break;
  }
}

void Clients::work(int count, Duration stagger, Instant now) {
  at_work_.resize(static_cast<std::size_t>(std::max(count, static_cast<int>(at_work_.size()))));
  int fresh = 0;
  for (int i = 0; i < static_cast<int>(at_work_.size()); ++i) {
    const bool was_at_work = at_work_[static_cast<std::size_t>(i)];
    at_work_[static_cast<std::size_t>(i)] = i < count;
    if (i < count && !was_at_work) add({.at = now + stagger * fresh++, .order = 0, .client = i});
  }
  clients_ = count;
}

void Clients::come(Instant now) {
  add({.at = now + from_seconds(random_.exponential(3600 / sessions_per_hour_)), .order = 0});
}

void Clients::replay(Instant now) {
  recorded_pace_ = true;
  schedule_recorded(now);
}

// All sessions at once: their turns are due at times of their own.
void Clients::schedule_recorded(Instant now) {
  while (auto script = source_.next(0)) {
    auto session = std::make_shared<Running>(std::move(*script), 0);
    for (std::size_t agent = 0; agent < session->script.agents.size(); ++agent) {
      const auto& turns = session->script.agents[agent].turns;
      for (std::size_t turn = 0; turn < turns.size(); ++turn) {
        add({.at = now + session->script.start + turns[turn].recorded_at,
             .order = 0,
             .session = session,
             .agent = agent,
             .turn = turn});
      }
    }
  }
}

std::optional<Instant> Clients::next_due() const {
  if (due_.empty()) return std::nullopt;
  return due_.top().at;
}

void Clients::advance(Instant now, std::vector<TurnId>& sent) {
  while (!due_.empty() && due_.top().at <= now) {
    const auto due = due_.top();
    due_.pop();
    if (due.session) {
      if (!is_retired(*due.session) && !due.session->broken) sent.push_back(send(due, now));
    } else {
      start(due.client, now);
      if (sessions_per_hour_ > 0) come(now);
    }
  }
}

void Clients::start(int client, Instant now) {
  auto script = source_.next(client);
  if (!script) return;
  auto session = std::make_shared<Running>(std::move(*script), client);
  add({.at = now, .order = 0, .client = client, .session = std::move(session)});
}

TurnId Clients::send(const Due& due, Instant now) {
  const TurnId id = turns_.size();
  auto& agent = due.session->agents[due.agent];
  const auto& turn = due.session->script.agents[due.agent].turns[due.turn];
  turns_.push_back({.session = due.session->script.id,
                    .agent = due.session->client,
                    .sent = now,
                    .prompt_tokens = turn.prompt_tokens});
  sent_.emplace(id, Sent{due.session, due.agent, due.turn, agent.last});
  agent.last = id;
  agent.next = due.turn + 1;
  return id;
}

const Turn& Clients::content(TurnId turn) const { return agent(turn).turns[sent_.at(turn).turn]; }

const Agent& Clients::agent(TurnId turn) const {
  const auto& sent = sent_.at(turn);
  return sent.session->script.agents[sent.agent];
}

std::size_t Clients::agents(TurnId turn) const { return sent_.at(turn).session->agents.size(); }

std::uint64_t Clients::conversation(TurnId turn) const {
  const auto& sent = sent_.at(turn);
  return sent.session->script.id + sent.agent;
}

std::optional<std::uint64_t> Clients::parent(TurnId turn) const {
  const auto& sent = sent_.at(turn);
  if (sent.agent == 0) return std::nullopt;
  return sent.session->script.id;
}

std::optional<TurnId> Clients::before(TurnId turn) const { return sent_.at(turn).before; }

bool Clients::is_retired(const Running& session) const {
  return sessions_per_hour_ == 0 && !recorded_pace_ && session.client >= clients_;
}

void Clients::answered(TurnId turn, bool failed, Instant now) {
  const auto sent = std::move(sent_.extract(turn).mapped());
  auto& session = *sent.session;
  turns_[turn].done = now;
  turns_[turn].failed = failed;
  turns_[turn].ends_session = --session.turns_left == 0 && !failed;
  if (recorded_pace_ || is_retired(session) || session.broken) return;
  if (failed) {
    session.broken = true;
    if (sessions_per_hour_ == 0) start(session.client, now);
    return;
  }
  if (sent.agent == 0) start_subagents(sent.session, sent.turn, now);
  if (sent.turn + 1 == session.script.agents[sent.agent].turns.size()) {
    end_agent(sent.session, sent.agent, now);
  } else {
    go_on(sent.session, sent.agent, now);
  }
}

void Clients::start_subagents(const std::shared_ptr<Running>& session, std::size_t after, Instant now) {
  for (std::size_t i = 1; i < session->script.agents.size(); ++i) {
    const auto& agent = session->script.agents[i];
    if (static_cast<std::size_t>(agent.after) != after) continue;
    add({.at = now + agent.delay, .order = 0, .client = session->client, .session = session, .agent = i});
  }
}

void Clients::go_on(const std::shared_ptr<Running>& session, std::size_t agent, Instant now) {
  auto& state = session->agents[agent];
  state.waits = agent == 0 && !session->are_joined();
  if (state.waits) return;
  add({.at = now + session->script.agents[agent].turns[state.next].gap,
       .order = 0,
       .client = session->client,
       .session = session,
       .agent = agent,
       .turn = state.next});
}

void Clients::end_agent(const std::shared_ptr<Running>& session, std::size_t agent, Instant now) {
  session->agents[agent].ended = true;
  if (session->agents[0].waits) {
    go_on(session, 0, now);
  } else if (session->turns_left == 0 && sessions_per_hour_ == 0) {
    start(session->client, now);
  }
}

}  // namespace lmw::workload
