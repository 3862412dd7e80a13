#include "routing/cache_account.hpp"

#include <gtest/gtest.h>

#include "routing/router_fixture.hpp"

namespace lmw::routing {
namespace {

using namespace std::chrono_literals;

TEST(CacheAccount, ATurnThatFindsItsContextIsNoMiss) {
  const auto account = account_of({.context = 58'000, .kept = 58'000}, {60'000, 57'984, 100});
  EXPECT_EQ(account.expected, 58'000);
  EXPECT_EQ(account.lost, 0);
  EXPECT_EQ(account.miss, Miss::none);
}

TEST(CacheAccount, ALossHasItsReason) {
  const TokenCounts tokens{60'000, 3'000, 100};
  const auto miss = [&](const CacheFacts& facts) { return account_of(facts, tokens).miss; };
  const std::optional<std::int64_t> context = 58'000;
  EXPECT_EQ(miss({}), Miss::first_turn);
  EXPECT_EQ(miss({.context = context, .kept = context}), Miss::evicted);
  EXPECT_EQ(miss({.context = context}), Miss::moved);
  EXPECT_EQ(miss({.context = context, .restarted = true}), Miss::engine_restarted);
  EXPECT_EQ(miss({.context = context, .engine_chose = true}), Miss::not_followed);
  EXPECT_EQ(miss({.context = context, .kept = context, .broken = PromptBreak{}}), Miss::prompt_changed);
  EXPECT_EQ(account_of({.context = context}, tokens).lost, 55'000);
}

TEST(CacheAccount, LittleIsNoLossAndUnknownIsUnknown) {
  EXPECT_EQ(account_of({.context = 1'000, .kept = 1'000}, {1'100, 489, 1}).lost, 0);
  EXPECT_EQ(account_of({.context = 58'000, .kept = 58'000}, {60'000, 51'000, 1}).lost, 0);
  EXPECT_EQ(account_of({.context = 58'000, .kept = 58'000}, {60'000, {}, 1}).miss, Miss::unmeasured);
  EXPECT_EQ(account_of({.context = 58'000}, {}).miss, Miss::unmeasured);
  EXPECT_FALSE(account_of({.context = 58'000}, {}).expected);
}

TEST(PromptBreaks, AreCountedByClientAndPlace) {
  PromptBreaks breaks;
  const PromptBreak system{PromptBreak::Part::system, 0, 312};
  const PromptBreak message{PromptBreak::Part::message, 4, {}};
  breaks.add("qwen-code/0.24.4", system, 50'000, start);
  breaks.add("qwen-code/0.24.4", message, 10, start);
  breaks.add("qwen-code/0.24.4", system, 8'000, start + 40min);
  breaks.add("other", system, 1, start + 41min);
  ASSERT_EQ(breaks.entries().size(), 3u);
  const auto& entry = breaks.entries()[1];
  EXPECT_EQ(entry.where, system);
  EXPECT_EQ(entry.turns, 2u);
  EXPECT_EQ(entry.lost, 58'000);
  EXPECT_EQ(entry.lost_last_hour(start + 45min), 58'000);
  EXPECT_EQ(entry.lost_last_hour(start + 75min), 8'000);
  EXPECT_EQ(entry.lost_last_hour(start + 3h), 0);
}

TEST(PromptBreaks, AreBounded) {
  PromptBreaks breaks;
  for (std::uint32_t i = 0; i < 1000; ++i) breaks.add("c", {PromptBreak::Part::message, i, {}}, 1, start);
  EXPECT_EQ(breaks.entries().size(), PromptBreaks::limit);
  EXPECT_EQ(breaks.entries().front().where.message, 999u);
}

class RouterAccount : public RouterTest {
 protected:
  CacheAccount account(const Fingerprint& prompt, const TokenCounts& tokens, std::uint64_t key = 1) {
    auto turn = turn_of(key);
    turn.prompt = &prompt;
    turn.has_tools = true;
    turn.client = "claude-cli/2.1";
    pass(turn, start, tokens);
    return router_.table().find(ConversationKey(key))->last_account.value();
  }
  const Fingerprint first_ = prompt_of({"task"});
  const Fingerprint next_ = prompt_of({"task", "answer", "more"});
};

TEST_F(RouterAccount, ExpectsWhatTheReplicaKeeps) {
  EXPECT_EQ(account(first_, {10'000, 0, 200}).miss, Miss::first_turn);
  const auto second = account(next_, {11'000, 10'192, 200});
  EXPECT_EQ(second.expected, 10'200);
  EXPECT_EQ(second.miss, Miss::none);
  EXPECT_EQ(account(next_, {11'000, 16, 200}).miss, Miss::evicted);
  EXPECT_EQ(router_.cache().lost[static_cast<std::size_t>(Miss::evicted)], 11'000 - 16);
}

TEST_F(RouterAccount, ASpilledTurnHasItsContextElsewhere) {
  account(first_, {10'000, 0, 200});
  const auto home = *router_.replicas().replicas().begin();
  router_.settings().spill_threshold = 1;
  ++replica(home.id.value()).in_flight;
  const auto spilled = account(next_, {11'000, 1'000, 200});
  EXPECT_EQ(spilled.miss, Miss::moved);
  EXPECT_EQ(spilled.expected, 0);
  EXPECT_EQ(spilled.lost, 9'200);
  --replica(home.id.value()).in_flight;
}

TEST_F(RouterAccount, AnEngineThatStartedAnewKeepsNothing) {
  account(first_, {10'000, 0, 200});
  router_.new_run(endpoint_);
  EXPECT_EQ(account(next_, {11'000, 0, 200}).miss, Miss::engine_restarted);
  EXPECT_EQ(account(next_, {11'000, 10'992, 200}).miss, Miss::none);
}

TEST_F(RouterAccount, APromptThatChangedSaysWhere) {
  account(first_, {10'000, 0, 200});
  const auto changed = prompt_of({"task", "answer", "more"}, 2);
  const auto broken = account(changed, {11'000, 16, 200});
  EXPECT_EQ(broken.miss, Miss::prompt_changed);
  ASSERT_TRUE(broken.broken);
  EXPECT_EQ(broken.broken->part, PromptBreak::Part::system);
  ASSERT_EQ(router_.prompt_breaks().entries().size(), 1u);
  EXPECT_EQ(router_.prompt_breaks().entries()[0].client, "claude-cli/2.1");
  EXPECT_EQ(router_.prompt_breaks().entries()[0].lost, 10'184);
}

}  // namespace
}  // namespace lmw::routing
