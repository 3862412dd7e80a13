#include "replica/profile.hpp"

#include <gtest/gtest.h>

namespace lmw::replica {
namespace {

TEST(Profile, IsFoundByName) {
  ASSERT_NE(find_profile("a4000-qwen3-4b"), nullptr);
  EXPECT_EQ(find_profile("a4000-qwen3-4b")->kv_tokens, 38'900);
  ASSERT_NE(find_profile("rtx5090-27b"), nullptr);
  EXPECT_EQ(find_profile("rtx5090-27b")->max_num_seqs, 256);
  EXPECT_EQ(find_profile("abacus"), nullptr);
}

TEST(Profile, RepeatsItsCardsWhenThereAreMoreReplicas) {
  const Profile& cards = *find_profile("a4000-qwen3-4b");
  EXPECT_EQ(cards.slow_factor(1), 0.88);
  EXPECT_EQ(cards.slow_factor(5), 0.88);
  EXPECT_EQ(find_profile("rtx5090-27b")->slow_factor(3), 1.0);
}

TEST(Profile, AddsUpAStepAsItsFormulaSays) {
  const StepCost cost{.base = 1000, .prefill = 100, .attn = 10, .seq = 1, .kvread = 0.5};
  EXPECT_EQ(step_seconds(cost, {}), 1000);
  EXPECT_EQ(step_seconds(cost, {.prefill_tokens = 2, .attended = 3, .decoding = 4, .kv_tokens_read = 5}),
            1000 + 200 + 30 + 4 + 2.5);
}

// Cited in the profile's source: a cold prefill of 7.4k behind the cached system prompt takes about 2.5 s on
// a mean card.
TEST(Profile, ReadsThePublishedFirstPromptInAboutTwoAndAHalfSeconds) {
  const StepCost& cost = find_profile("a4000-qwen3-4b")->cost;
  double sum = 0;
  for (int begin = 3500; begin < 10'900; begin += 2048) {
    const int chunk = std::min(2048, 10'900 - begin);
    sum += step_seconds(cost, {.prefill_tokens = chunk, .attended = chunk * (begin + chunk / 2.0)});
  }
  EXPECT_NEAR(sum, 2.4, 0.2);
}

}  // namespace
}  // namespace lmw::replica
