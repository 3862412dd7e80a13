#include "box.hpp"

#include <queue>

namespace lmw::simulation {

namespace {

struct Session {
  std::uint64_t id = 0;
  int turn = 0;
  int prompt = 0;
};

// Keys of a conversation's blocks: equal for equal (session, position), as if each session had texts of its
// own.
std::vector<std::uint64_t> keys_of(std::uint64_t session, int tokens, int block_size) {
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(tokens / block_size));
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = mix64((session << 24) + i + 1);
  return keys;
}

class Box {
 public:
  Box(const replica::EngineOptions& options, const Load& load, const Policy& policy)
      : engine_(options), load_(load), policy_(policy), sessions_(static_cast<std::size_t>(load.sessions)) {}

  Outcome run(Duration span) {
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
      begin(sessions_[i]);
      due_.push({Instant(std::chrono::milliseconds(10) * i), i});
    }
    const Instant end(span), measured(span * 3 / 4);
    std::int64_t queries = 0, hits = 0;
    while (true) {
      const auto step = engine_.next_due();
      const bool arrival = !due_.empty() && (!step || due_.top().first <= *step);
      if (!arrival && !step) break;
      const auto now = arrival ? due_.top().first : *step;
      if (now > end) break;
      if (arrival) {
        send(due_.top().second, now);
        due_.pop();
        continue;
      }
      for (const auto& event : engine_.advance(now)) {
        if (event.kind != replica::Event::Kind::finished) continue;
        const auto& session = sessions_[by_request_.at(event.id)];
        if (event.at >= measured) {
          queries += session.prompt;
          hits += event.cached_tokens;
        }
        finish(event);
      }
    }
    outcome_.hits = queries > 0 ? static_cast<double>(hits) / static_cast<double>(queries) : 0;
    return outcome_;
  }

 private:
  void begin(Session& session) { session = {++last_session_, 0, load_.first_tokens}; }

  void send(std::size_t index, Instant now) {
    const auto& session = sessions_[index];
    const int replica = policy_.route(session.id, now);
    ++outcome_.turns_by_replica[replica];
    const auto id = ++last_request_;
    by_request_[id] = index;
    engine_.submit({id, session.prompt, load_.output_tokens,
                    keys_of(session.id, session.prompt + load_.output_tokens, engine_.profile().block_size)},
                   replica, now);
  }

  void finish(const replica::Event& event) {
    const auto index = by_request_.extract(event.id).mapped();
    auto& session = sessions_[index];
    ++outcome_.turns;
    policy_.ended(session.id, session.prompt, event.cached_tokens, event.generated, event.at);
    if (++session.turn == load_.turns) {
      begin(session);
    } else {
      session.prompt += load_.output_tokens + load_.new_tokens;
    }
    due_.push({event.at + load_.think, index});
  }

  replica::Engine engine_;
  Load load_;
  const Policy& policy_;
  std::vector<Session> sessions_;
  std::map<replica::RequestId, std::size_t> by_request_;
  using Due = std::pair<Instant, std::size_t>;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::uint64_t last_session_ = 0;
  replica::RequestId last_request_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome run(const replica::EngineOptions& options, const Load& load, Duration span, const Policy& policy) {
  return Box(options, load, policy).run(span);
}

}  // namespace lmw::simulation
