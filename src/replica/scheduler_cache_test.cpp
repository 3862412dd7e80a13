#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replica/scheduler.hpp"
#include "replica/testing.hpp"

namespace lmw::replica {
namespace {

using testing::conversation;
using testing::request;
using testing::Stepper;
using testing::with_blocks;

TEST(SchedulerCache, FindsPromptAndAnswerOfTheLastTurn) {
  Stepper run;
  EXPECT_EQ(run.run_alone(request(1, conversation(1, 17), 4)), 0);
  // 20 of the 21 tokens were computed: the last one generated never was an input.
  EXPECT_EQ(run.run_alone(request(2, conversation(1, 30), 4)), 20);
}

TEST(SchedulerCache, PaysOnlyForWhatTheCacheLacks) {
  Stepper run;
  run.run_alone(request(1, conversation(1, 17), 4));
  run.scheduler.add(request(2, conversation(1, 30), 1));
  EXPECT_EQ(run.step(), 1 + 10 * 0.125 + 10 * 25 / 128.0);
}

TEST(SchedulerCache, AlwaysComputesTheLastTokenOfThePrompt) {
  Stepper run;
  run.run_alone(request(1, conversation(1, 16), 1));
  EXPECT_EQ(run.run_alone(request(2, conversation(1, 16), 1)), 12);
  EXPECT_EQ(run.run_alone(request(3, conversation(1, 17), 1)), 16);
}

TEST(SchedulerCache, SharesASystemPromptBetweenConversations) {
  const auto with_system = [](std::uint32_t number) {
    auto tokens = conversation(0, 10);
    const auto own = conversation(number, 10);
    tokens.insert(tokens.end(), own.begin(), own.end());
    return tokens;
  };
  Stepper run;
  EXPECT_EQ(run.run_alone(request(1, with_system(1), 1)), 0);
  EXPECT_EQ(run.run_alone(request(2, with_system(2), 1)), 8);
}

TEST(SchedulerCache, SharesBlocksWithARequestOfTheSameStep) {
  Stepper run;
  run.scheduler.add(request(1, conversation(7, 17), 2));
  run.scheduler.add(request(2, conversation(7, 17), 2));
  run.step();
  ASSERT_EQ(run.events.size(), 2U);
  EXPECT_EQ(run.events[1].cached_tokens, 16);
  EXPECT_EQ(run.scheduler.stats().kv_used, 6.0 / 64);  // 4 shared, and one of each
}

TEST(SchedulerCache, ForgetsTheConversationThatRestedLongest) {
  Stepper run(with_blocks(12));
  for (RequestId id = 1; id <= 3; ++id) run.run_alone(request(id, 16, 1));
  run.run_alone(request(4, conversation(1, 16), 1));  // touches the first one
  run.run_alone(request(5, 16, 1));                   // takes the place of the second
  EXPECT_EQ(run.run_alone(request(6, conversation(3, 16), 1)), 12);
  EXPECT_EQ(run.run_alone(request(7, conversation(1, 16), 1)), 12);
  EXPECT_EQ(run.run_alone(request(8, conversation(2, 16), 1)), 0);
}

TEST(SchedulerCache, DoesNotComputeWhatIsLoadedFromOutside) {
  Stepper run;
  Request loaded = request(1, conversation(1, 17), 1);
  loaded.loaded_tokens = 10;  // two blocks of 4, and a part that is of no use
  run.scheduler.add(loaded);
  EXPECT_EQ(run.step(), 1 + 9 * 0.125 + 9 * 12.5 / 128.0);
  ASSERT_FALSE(run.events.empty());
  EXPECT_EQ(run.events[0].cached_tokens, 8);
  // It is in the replica's own cache from then on; and the last token is computed, however much is loaded.
  EXPECT_EQ(run.run_alone(request(2, conversation(1, 17), 1)), 16);
  loaded = request(3, conversation(3, 16), 1);
  loaded.loaded_tokens = 100;
  EXPECT_EQ(run.run_alone(loaded), 12);
}

TEST(SchedulerCache, CachesNothingWithoutKeys) {
  Request silent = request(1, conversation(1, 16), 1);
  silent.block_keys.clear();
  Stepper run;
  EXPECT_EQ(run.run_alone(silent), 0);
  EXPECT_EQ(run.run_alone(silent), 0);
}

}  // namespace
}  // namespace lmw::replica
