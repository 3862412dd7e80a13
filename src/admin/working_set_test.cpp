#include "admin/working_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lmw::admin {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Instant start{};

routing::TurnFacts turn_of(std::uint64_t conversation) {
  return {.key = routing::TurnKey{routing::ConversationKey(conversation), routing::GroupKey(1), {}},
          .source = routing::KeySource::claude_code};
}

TEST(WorkingSet, IsTheSumOfTheContextsOfLiveConversationsAtTheirHome) {
  routing::Router router({}, {});
  const auto endpoint = router.replicas().endpoint("http://127.0.0.1:1");
  router.replicas().set_ranks(endpoint, {"0", "1"});
  router.replicas()[endpoint].up = true;
  router.replicas()[routing::ReplicaId(0)].kv_capacity_tokens = 1000;
  const auto pass = [&](std::uint64_t conversation, Instant now) {
    router.route(turn_of(conversation), now)->finish(routing::TurnEnd::answered, {600, 0, 100}, now);
  };
  pass(1, start);
  const auto later = start + WorkingSet::live;
  pass(2, later);
  pass(3, later);

  auto sets = working_sets(router, later);
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets[0].conversations + sets[1].conversations, 3);
  EXPECT_EQ(sets[0].tokens + sets[1].tokens, 3 * 700);
  EXPECT_EQ(sets[0].capacity, 1000);
  EXPECT_EQ(sets[1].fit(), Fit::unknown);

  sets = working_sets(router, later + Duration(1));  // the first one is no longer live
  EXPECT_EQ(sets[0].conversations + sets[1].conversations, 2);
}

TEST(WorkingSet, FitsUpToFourFifthsAndThrashesBeyondTheCapacityOnceTurnsMissWhatWasEvicted) {
  const auto fit = [](std::int64_t tokens, int evicted) {
    return WorkingSet{0, 1, tokens, 1000, evicted}.fit();
  };
  EXPECT_EQ(fit(800, 0), Fit::fits);
  EXPECT_EQ(fit(801, 0), Fit::tight);
  EXPECT_EQ(fit(1000, 1), Fit::tight);
  EXPECT_EQ(fit(1001, 0), Fit::tight);  // they may share a prefix, which is there once
  EXPECT_EQ(fit(1001, 1), Fit::thrashing);
}

TEST(WorkingSet, CountsTheTurnsThatMissedWhatWasEvictedLately) {
  routing::Router router({}, {});
  const auto endpoint = router.replicas().endpoint("http://127.0.0.1:1");
  router.replicas().set_ranks(endpoint, {"0"});
  router.replicas()[endpoint].up = true;
  Fingerprint prompt;
  prompt.messages = {{.exact = 1, .identity = 1}};
  auto turn = turn_of(1);
  turn.prompt = &prompt;
  router.route(turn, start)->finish(routing::TurnEnd::answered, {8'000, 0, 100}, start);
  router.route(turn, start)->finish(routing::TurnEnd::answered, {8'200, 0, 100}, start);
  EXPECT_EQ(working_sets(router, start)[0].evicted, 1);
  EXPECT_EQ(working_sets(router, start + WorkingSet::live + Duration(1))[0].evicted, 0);
}

TEST(Advice, SaysHowManyConversationsFitWhenTheyDoNot) {
  EXPECT_EQ(
      advice({{0, 1, 58'000, 156'000}, {2, 6, 348'000, 156'000, 1, true}}),
      "6 conversations × 58k = 348k on replica 2, which keeps 156k: prefixes are evicted before they are "
      "used again; 2 fit here, 5 of 7 on this box of 2 replicas.");
}

TEST(Advice, SaysThatConversationsTakeTurnsWherePlacesAreOn) {
  EXPECT_THAT(advice({{0, 6, 348'000, 156'000, 1}}, true),
              HasSubstr("more than fits, so conversations take turns in it; 2 fit here."));
}

TEST(Advice, NamesTheHostTierWhereThereIsNone) {
  EXPECT_THAT(advice({{0, 6, 348'000, 156'000, 1}}), HasSubstr("--kv-offloading-size"));
  EXPECT_THAT(advice({{0, 6, 348'000, 156'000, 1, true}}), Not(HasSubstr("--kv-offloading-size")));
}

TEST(Advice, DoesNotSpeakOfEvictionsThatNobodyHasSeen) {
  EXPECT_THAT(advice({{0, 6, 348'000, 156'000}}),
              HasSubstr("no turn has missed anything evicted in the last 5 min"));
}

TEST(Advice, SaysWhenNotEvenOneFits) {
  EXPECT_THAT(advice({{0, 1, 200'000, 156'000}}), HasSubstr("not one of them fits here."));
}

TEST(Advice, SaysHowMuchRoomThereIs) {
  EXPECT_EQ(advice({{0, 2, 60'000, 156'000}, {1, 0, 0, 156'000}}),
            "All 2 live conversations fit: 60k of 312k tokens; at 30k each there is room for about 8 more.");
}

TEST(Advice, IsSilentWithoutConversationsAndHonestWithoutACapacity) {
  EXPECT_EQ(advice({{0, 0, 0, 156'000}}), "");
  EXPECT_THAT(advice({{0, 1, 10, {}}}), HasSubstr("does not tell its KV capacity"));
}

}  // namespace
}  // namespace lmw::admin
