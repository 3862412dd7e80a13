// A router with places under random traffic, on unequal replicas that come and go, with engines that start
// anew or fail to take a turn, clients that leave, settings that change and restarts of the router itself.
// Each seed is a run of its own; a failure names it.
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
      : random_(seed), engines_stay_(random_.unit() < 0.5), pace_(random_.unit() < 0.5 ? 300 : 2'000) {
    begin();
  }

  void go() {
    for (int step = 0; step < 600; ++step) {
      if (step == 300 && random_.unit() < 0.3) restart();
      now_ += std::chrono::milliseconds(random_.between(1, pace_));
      act();
      router_->admit(now_);
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

  void begin() {
    router_ = std::make_unique<Router>(
        RouterSettings{.admission = random_.unit() < 0.8 ? Admission::automatic : Admission::on},
        TableLimits{});
    router_->settings().places.wait_share = random_.unit() < 0.3 ? 1.0 : 0.1 + 0.8 * random_.unit();
    endpoints_.clear();
    for (int i = 0; i < 2; ++i) {
      auto& replicas = router_->replicas();
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

  // All connections break, and what was known of conversations is lost.
  void restart() {
    left_ += turns_.size();
    turns_.clear();
    expect_all_counted();
    begin();
    sent_ = ended_ = left_ = 0;
  }

  void act() {
    const double choice = random_.unit();
    if (choice < 0.55) return arrive();
    if (choice < 0.60 && !turns_.empty()) return leave();
    if (choice < 0.62 && !engines_stay_) return toggle();
    if (choice < 0.64 && !turns_.empty()) return fail_over();
    if (choice < 0.65) router_->settings().admission = random_.unit() < 0.3 ? Admission::off : Admission::on;
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
    auto ticket = router_->route(turn, now_);
    if (!ticket) {
      EXPECT_FALSE(router_->replicas().any_up());
      return;
    }
    ++sent_;
    turns_.push_back({std::make_unique<Ticket>(std::move(*ticket)), now_, {}});
  }

  void leave() {
    turns_.erase(turns_.begin() + random_.between(0, std::ssize(turns_) - 1));
    ++left_;
  }

  // The engine of a turn that runs could not take it.
  void fail_over() {
    auto& turn = turns_[static_cast<std::size_t>(random_.between(0, std::ssize(turns_) - 1))];
    if (turn.runs) router_->move(*turn.ticket, now_);
  }

  // An engine goes down or comes up, sometimes anew.
  void toggle() {
    const auto endpoint = endpoints_[static_cast<std::size_t>(random_.between(0, 1))];
    auto& up = router_->replicas()[endpoint].up;
    up = !up;
    if (up && random_.unit() < 0.5) router_->new_run(endpoint);
  }

  // Every admitted turn runs for at most ten seconds, on the last replica for at most three.
  void look() {
    for (auto& turn : turns_) {
      if (turn.runs || turn.ticket->is_held()) continue;
      turn.runs = true;
      const auto replica = turn.ticket->decision().replica;
      ASSERT_TRUE(replica.has_value());
      const int longest = replica->value() == 3 ? 3'000 : 10'000;
      turn.ends = now_ + std::chrono::milliseconds(random_.between(10, longest));
      if (engines_stay_) EXPECT_LE(now_ - turn.arrived, longest_wait);
    }
    std::size_t held = 0;
    for (const auto& turn : turns_) held += !turn.runs;
    EXPECT_EQ(router_->held(), held);
    EXPECT_EQ(router_->in_flight(), static_cast<int>(turns_.size() - held));
    if (held == 0 || !router_->replicas().any_up()) return;
    // Who is next waits for something.
    const auto next = router_->places().waiting_turns(now_).front();
    ASSERT_TRUE(next.replica.has_value());
    const auto& replica = router_->replicas()[*next.replica];
    EXPECT_TRUE(next.room < next.needs || replica.in_flight >= *replica.max_num_seqs);
    EXPECT_TRUE(next.running + next.pausing > 0 || replica.in_flight > 0);
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
    for (const auto endpoint : endpoints_) router_->replicas()[endpoint].up = true;
    const auto begin = now_;
    while (!turns_.empty() && now_ - begin < 30min) {
      now_ += 100ms;
      end_due();
      router_->admit(now_);
      look();
    }
    EXPECT_TRUE(turns_.empty()) << turns_.size() << " turns never ended";
    EXPECT_EQ(router_->held(), 0u);
    EXPECT_EQ(router_->places().waiting(), 0u);
    EXPECT_EQ(router_->in_flight(), 0);
    for (const auto& replica : router_->replicas().replicas()) EXPECT_EQ(replica.in_flight, 0);
    for (const auto endpoint : endpoints_) router_->new_run(endpoint);
    for (const auto& replica : router_->replicas().replicas()) {
      EXPECT_EQ(router_->places().places(replica.id), 0);
    }
    expect_all_counted();
  }

  void expect_all_counted() {
    const auto& counters = router_->counters();
    EXPECT_EQ(counters.answered + counters.failed + counters.cancelled + counters.left_while_held, sent_);
    EXPECT_EQ(ended_ + left_, sent_);
  }

  // max_wait, and until what then runs has ended.
  static constexpr Duration longest_wait = 120s + 30s;

  Random random_;
  bool engines_stay_;
  int pace_;  // ms between two events, at most
  std::unique_ptr<Router> router_;
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
