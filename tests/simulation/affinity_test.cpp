#include "lab/affinity.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "lab/box.hpp"

namespace lmw::lab {
namespace {

using namespace std::chrono_literals;

constexpr int cards = 7;

// Conversations that reach 58k tokens.
workload::SessionShape long_sessions() {
  return {.shared_tokens = 0,
          .first_low = 50'000,
          .first_high = 50'000,
          .turns_low = 8,
          .turns_high = 8,
          .new_low = 1000,
          .new_high = 1000,
          .output_max = 300,
          .full_output = 1,
          .think = {5, 5}};
}

struct Outcome {
  double hits = 0;  // share of prompt tokens found in the cache, in the last quarter
  std::size_t turns = 0;
  std::map<int, int> turns_by_replica;
};

Outcome run(const PolicyKind& policy, int sessions, Duration span) {
  const auto profile = *replica::find_profile("rtx5090-27b");
  const auto source = workload::synthetic_sessions(long_sessions(), profile.block_size, 1);
  Box box({.policy = policy, .profile = profile, .replicas = cards}, *source);
  box.clients().begin({.sessions = sessions, .stagger = 10ms}, box.now());
  box.run_until(Instant(span * 3 / 4));
  const auto before = box.sums();
  box.run_until(Instant(span));
  report::Step step;
  report::add_engine(step, before, box.sums());
  Outcome outcome{.hits = step.hits_pct.value_or(0) / 100};
  for (const auto& turn : box.clients().turns()) {
    outcome.turns += turn.done.has_value();
    if (turn.replica) ++outcome.turns_by_replica[*turn.replica];
  }
  return outcome;
}

const PolicyKind& named(std::string_view name) { return *find_policy(name); }

// A hash under which all ids are equal.
class OneReplica : public Policy {
 public:
  void arrived(const Arrival& turn, Instant, Releases& out) override { out.push_back({turn.id, 0}); }
};

TEST(Affinity, KeepsTheCacheWhereHashingLosesItOnAFullBox) {
  // 14 conversations fit on 7 replicas of 156k, two on each. Hashing puts three and more on some.
  const auto kept = run(named("affinity"), 14, 35min);
  const auto hashed = run(named("hash"), 14, 35min);
  EXPECT_GT(kept.hits, hashed.hits + 0.1) << kept.hits << " against " << hashed.hits;
  EXPECT_GT(kept.turns, hashed.turns);
}

TEST(Affinity, NoChoiceOfIdsLocksAllConversationsOntoOneReplica) {
  const PolicyKind locking{"locking", "", [](const EngineFacts&) -> std::unique_ptr<Policy> {
                             return std::make_unique<OneReplica>();
                           }};
  const auto spread = run(named("affinity"), 14, 10min);
  EXPECT_EQ(spread.turns_by_replica.size(), 7U);
  const auto locked = run(locking, 14, 10min);
  EXPECT_EQ(locked.turns_by_replica.size(), 1U);
  EXPECT_GT(spread.turns, 2 * locked.turns);
}

TEST(Affinity, PlacesKeepTheCacheWhereMoreConversationsLiveThanFit) {
  // 26 conversations of 58k tokens need half as much again as the caches hold.
  const auto held = run(named("places"), 26, 35min);
  const auto hashed = run(named("hash"), 26, 35min);
  EXPECT_GT(held.hits, 0.8);
  EXPECT_LT(hashed.hits, 0.7);
  EXPECT_GT(held.turns, hashed.turns * 3 / 2);
  std::vector<int> turns;
  for (const auto& [replica, count] : held.turns_by_replica) turns.push_back(count);
  const auto [least, most] = std::ranges::minmax(turns);
  EXPECT_EQ(turns.size(), 7U);
  EXPECT_LT(most, 2 * least) << "no replica idles while another drowns";
}

TEST(Affinity, ARunIsTheSameEachTime) {
  const auto a = run(named("affinity"), 10, 5min);
  const auto b = run(named("affinity"), 10, 5min);
  EXPECT_EQ(a.turns, b.turns);
  EXPECT_EQ(a.hits, b.hits);
  EXPECT_EQ(a.turns_by_replica, b.turns_by_replica);
}

TEST(Affinity, EveryGaugeComesBackToZero) {
  const auto profile = *replica::find_profile("rtx5090-27b");
  Affinity affinity({profile, cards, 1}, {});
  Releases out;
  for (TurnId turn = 0; turn < 100; ++turn) {
    affinity.arrived({.id = turn, .conversation = turn % 9, .session = turn % 9, .prompt_tokens = 10},
                     Instant(turn * 1s), out);
  }
  EXPECT_EQ(affinity.router().in_flight(), 100);
  for (TurnId turn = 0; turn < 100; ++turn) affinity.ended({turn, 10, 0, 1}, Instant(100s), out);
  EXPECT_EQ(affinity.router().in_flight(), 0);
  EXPECT_EQ(affinity.router().counters().answered, 100U);
  for (const auto& replica : affinity.router().replicas().replicas()) EXPECT_EQ(replica.in_flight, 0);
}

}  // namespace
}  // namespace lmw::lab
