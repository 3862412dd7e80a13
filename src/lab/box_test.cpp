#include "lab/box.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lmw::lab {
namespace {

using namespace std::chrono_literals;

replica::Profile small_box() {
  auto made = *replica::find_profile("a4000-qwen3-4b");
  made.slow.clear();
  return made;
}

struct Trial {
  explicit Trial(const PolicyKind& policy, replica::Profile profile = small_box(),
                 workload::SessionShape shape = {})
      : source(workload::synthetic_sessions(shape, profile.block_size, 1)),
        box({.policy = policy, .profile = profile, .replicas = 4, .api_servers = 4, .seed = 1}, *source) {}

  void work(int sessions, Duration span) {
    box.clients().begin({.sessions = sessions, .stagger = 1ms}, box.now());
    box.run_until(box.now() + span);
  }
  const std::vector<report::Turn>& turns() const { return box.clients().turns(); }

  std::unique_ptr<workload::SessionSource> source;
  Box box;
};

Trial run_of(std::string_view policy) { return Trial(*find_policy(policy)); }

double hit_share(const Trial& run) {
  const auto counters = run.box.sums().engines.front().value();
  return static_cast<double>(counters.hits) / static_cast<double>(counters.queries);
}

TEST(Box, EveryPolicyServesEveryTurnAndIsDeterministic) {
  for (const auto& policy : policies()) {
    Trial once(policy), again(policy);
    once.work(8, 120s);
    again.work(8, 120s);
    ASSERT_GT(once.turns().size(), 20U) << policy.name;
    ASSERT_EQ(once.turns().size(), again.turns().size()) << policy.name;
    std::size_t under_way = 0;
    for (std::size_t i = 0; i < once.turns().size(); ++i) {
      const auto& turn = once.turns()[i];
      EXPECT_EQ(turn.done, again.turns()[i].done);
      EXPECT_FALSE(turn.failed);
      under_way += !turn.done;
    }
    EXPECT_EQ(under_way, 8U) << policy.name;
    // When the clients leave, all that is under way ends.
    once.box.clients().begin({.sessions = 0}, once.box.now());
    once.box.run_until(once.box.now() + 200s);
    EXPECT_TRUE(once.box.is_idle()) << policy.name;
    for (const auto& turn : once.turns()) EXPECT_TRUE(turn.done) << policy.name;
  }
}

TEST(Box, AffinityKeepsEveryConversationAtHome) {
  auto run = run_of("affinity");
  run.work(8, 180s);
  for (const auto& turn : run.turns()) EXPECT_NE(turn.stayed, false);
  EXPECT_GT(hit_share(run), 0.8);
}

TEST(Box, TheNetworkLiesBetweenClientAndEngineOnBothWays) {
  auto near = small_box(), far = small_box();
  near.network = {};
  far.network = 1s;
  const auto& policy = *find_policy("round-robin");
  Trial a(policy, near), b(policy, far);
  a.work(1, 60s);
  b.work(1, 60s);
  const auto wait = [](const Trial& run) { return *run.turns()[0].first - run.turns()[0].sent; };
  EXPECT_EQ(wait(b) - wait(a), 2s);
  EXPECT_EQ((*b.turns()[0].done - *b.turns()[0].first), (*a.turns()[0].done - *a.turns()[0].first));
}

TEST(Box, TheTokenizerReadsTheWholePromptBeforeTheEngineHasIt) {
  auto fast = small_box(), slow = small_box();
  slow.tokenize = 1e-4;
  const auto& policy = *find_policy("round-robin");
  Trial a(policy, fast), b(policy, slow);
  a.work(1, 60s);
  b.work(1, 60s);
  const auto wait = [](const Trial& run) { return *run.turns()[0].first - run.turns()[0].sent; };
  EXPECT_NEAR(seconds(wait(b) - wait(a)), 1e-4 * a.turns()[0].prompt_tokens, 1e-6);
}

TEST(Box, ATurnThatTheEngineCouldNotHoldFails) {
  auto profile = small_box();
  profile.max_model_len = 12'000;
  Trial run(*find_policy("affinity"), profile);
  run.work(1, 300s);
  int failed = 0;
  for (const auto& turn : run.turns()) failed += turn.failed;
  EXPECT_GT(failed, 0);
  for (const auto& turn : run.turns()) EXPECT_LE(turn.prompt_tokens, turn.failed ? 20'000 : 12'000);
}

TEST(Box, ACommonCacheFindsWhatOnlyAnotherReplicaHasComputed) {
  auto apart = run_of("engine");
  auto common = run_of("infinite-cache");
  apart.work(16, 180s);
  common.work(16, 180s);
  EXPECT_GT(hit_share(common), hit_share(apart) + 0.2);
  for (const auto& turn : common.turns()) {
    // Of a later turn only what is new is computed: a message, and an answer's or prompt's last block.
    if (turn.stayed && turn.cached_tokens) EXPECT_LT(turn.prompt_tokens - *turn.cached_tokens, 440 + 32);
  }
}

// Holds each turn for two seconds; then it goes to replica 3.
class Holding : public Policy {
 public:
  explicit Holding(const EngineFacts&) {}
  void arrived(const Arrival& turn, Instant now, Releases&) override { held_.emplace(now + 2s, turn.id); }
  std::optional<Instant> wake_at() const override {
    if (held_.empty()) return std::nullopt;
    return held_.begin()->first;
  }
  void woken(Instant, Releases& out) override {
    out.push_back({held_.begin()->second, 3});
    held_.erase(held_.begin());
  }

 private:
  std::multimap<Instant, TurnId> held_;
};

TEST(Box, APolicyMayHoldATurnAndReleaseItLater) {
  const PolicyKind holding{"holding", "", [](const EngineFacts& engine) -> std::unique_ptr<Policy> {
                             return std::make_unique<Holding>(engine);
                           }};
  Trial held(holding), at_once(*find_policy("affinity"));
  held.work(1, 20s);
  at_once.work(1, 20s);
  ASSERT_GT(held.turns().size(), 1U);
  EXPECT_TRUE(held.turns()[0].held);
  EXPECT_FALSE(at_once.turns()[0].held);
  EXPECT_EQ(held.turns()[0].replica, 3);
  EXPECT_EQ(*held.turns()[0].first - *at_once.turns()[0].first, 2s);
}

TEST(Box, CountsTheReplicasThatHaveWork) {
  auto run = run_of("affinity");
  run.work(1, 100s);
  const auto sums = run.box.sums();
  EXPECT_NEAR(static_cast<double>(sums.polls), 1000, 2);
  EXPECT_NEAR(static_cast<double>(sums.busy) / static_cast<double>(sums.polls), 1, 0.1);
}

}  // namespace
}  // namespace lmw::lab
