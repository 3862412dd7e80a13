// A router with places under random traffic, replicas that come and go, engines that start anew, clients that
// leave and settings that change. Each seed is a run of its own; a failure names it.
#include <map>
#include <memory>

#include "base/seeds.hpp"
#include "routing/router_fixture.hpp"

namespace lmw::routing {
namespace {

using namespace std::chrono_literals;

class Traffic {
 public:
  explicit Traffic(std::uint64_t seed)
      : random_(seed),
        router_({.admission = random_.unit() < 0.8 ? Admission::automatic : Admission::on}, {}) {
    router_.settings().places.wait_share = random_.unit() < 0.3 ? 1.0 : 0.1 + 0.8 * random_.unit();
    for (int i = 0; i < 2; ++i) {
      auto& replicas = router_.replicas();
      const auto endpoint = replicas.endpoint("http://engine" + std::to_string(i));
      replicas.set_ranks(endpoint, {"0", "1"});
      replicas[endpoint].up = true;
      for (const auto id : replicas[endpoint].replicas) {
        replicas[id].max_num_seqs = 8;
        replicas[id].kv_capacity_tokens = random_.between(20'000, 60'000);
        if (random_.unit() < 0.2) replicas[id].host_kv_tokens = 200'000;
      }
      endpoints_.push_back(endpoint);
    }
  }

  void go() {
    for (int step = 0; step < 400; ++step) {
      now_ += std::chrono::milliseconds(random_.between(1, 2'000));
      act();
      router_.admit(now_);
      look();
      if (testing::Test::HasFailure()) return;
    }
    settle();
  }

 private:
  struct Turn {
    std::unique_ptr<Ticket> ticket;
    Instant arrived;
    Instant ends;  // once it runs
    bool runs = false;
  };

  void act() {
    const double choice = random_.unit();
    if (choice < 0.55) return arrive();
    if (choice < 0.60 && !turns_.empty()) return leave();
    if (choice < 0.62) return toggle();
    if (choice < 0.63) router_.settings().admission = random_.unit() < 0.3 ? Admission::off : Admission::on;
    end_due();
  }

  void arrive() {
    const auto conversation = static_cast<std::uint64_t>(random_.between(1, 24));
    auto turn = turn_of(conversation);
    turn.key->group = GroupKey(conversation / 3);
    turn.head = conversation % 2;
    turn.bytes =
        static_cast<std::uint64_t>(4 * random_.between(500, random_.unit() < 0.05 ? 120'000 : 20'000));
    turn.window = random_.unit() < 0.05 ? static_cast<std::uint64_t>(seq_++) : 0;
    auto ticket = router_.route(turn, now_);
    if (!ticket) {
      EXPECT_FALSE(router_.replicas().any_up());
      return;
    }
    ++sent_;
    turns_.push_back({std::make_unique<Ticket>(std::move(*ticket)), now_, {}});
  }

  void leave() {
    turns_.erase(turns_.begin() + random_.between(0, std::ssize(turns_) - 1));
    ++left_;
  }

  // An engine goes down or comes up, sometimes anew.
  void toggle() {
    const auto endpoint = endpoints_[static_cast<std::size_t>(random_.between(0, 1))];
    auto& up = router_.replicas()[endpoint].up;
    up = !up;
    if (up && random_.unit() < 0.5) router_.new_run(endpoint);
  }

  // Every admitted turn runs for at most ten seconds.
  void look() {
    for (auto& turn : turns_) {
      if (turn.runs || turn.ticket->is_held()) continue;
      turn.runs = true;
      turn.ends = now_ + std::chrono::milliseconds(random_.between(10, 10'000));
      const auto replica = turn.ticket->decision().replica;
      EXPECT_TRUE(replica.has_value());
    }
    std::size_t held = 0;
    for (const auto& turn : turns_) held += !turn.runs;
    EXPECT_EQ(router_.held(), held);
    EXPECT_EQ(router_.in_flight(), static_cast<int>(turns_.size() - held));
    // Nobody waits where nothing runs and no place is held.
    if (held == 0 || !router_.replicas().any_up()) return;
    int places = 0;
    for (const auto& replica : router_.replicas().replicas()) {
      if (router_.replicas().usable(replica.id)) places += router_.places().places(replica.id);
    }
    EXPECT_TRUE(places > 0 || router_.in_flight() > 0);
  }

  void end_due() {
    for (auto turn = turns_.begin(); turn != turns_.end();) {
      if (!turn->runs || turn->ends > now_) {
        ++turn;
        continue;
      }
      if (random_.unit() < 0.9) turn->ticket->first_content(1s, now_);
      const auto prompt = random_.between(500, 20'000);
      const std::int64_t cached = random_.between(0, prompt);
      const auto how = random_.unit() < 0.9 ? TurnEnd::answered : TurnEnd::failed;
      turn->ticket->finish(how, how == TurnEnd::answered ? TokenCounts{prompt, cached, 100} : TokenCounts{},
                           now_);
      turn = turns_.erase(turn);
      ++ended_;
    }
  }

  // With the engines up and nobody new, everybody is served, each within the longest wait and the turns
  // before it.
  void settle() {
    for (const auto endpoint : endpoints_) router_.replicas()[endpoint].up = true;
    const auto begin = now_;
    while (!turns_.empty() && now_ - begin < 30min) {
      now_ += 100ms;
      end_due();
      router_.admit(now_);
      look();
    }
    EXPECT_TRUE(turns_.empty()) << turns_.size() << " turns never ended";
    EXPECT_EQ(router_.held(), 0u);
    EXPECT_EQ(router_.places().waiting(), 0u);
    EXPECT_EQ(router_.in_flight(), 0);
    for (const auto& replica : router_.replicas().replicas()) EXPECT_EQ(replica.in_flight, 0);
    for (const auto endpoint : endpoints_) router_.new_run(endpoint);
    for (const auto& replica : router_.replicas().replicas()) {
      EXPECT_EQ(router_.places().places(replica.id), 0);
    }
    const auto& counters = router_.counters();
    EXPECT_EQ(counters.answered + counters.failed + counters.cancelled + counters.left_while_held, sent_);
    EXPECT_EQ(ended_ + left_, sent_);
  }

  Random random_;
  Router router_;
  std::vector<EndpointId> endpoints_;
  std::vector<Turn> turns_;
  Instant now_ = start;
  std::uint64_t sent_ = 0, ended_ = 0, left_ = 0, seq_ = 1;
};

TEST(PlacesInvariants, HoldWhateverHappens) {
  const auto [first, last] = seeds_or(300);
  for (auto seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("LMW_SEED=" + std::to_string(seed));
    Traffic(seed).go();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace lmw::routing
