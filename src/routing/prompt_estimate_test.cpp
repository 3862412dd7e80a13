#include "routing/prompt_estimate.hpp"

#include <gtest/gtest.h>

namespace lmw::routing {
namespace {

TEST(PromptEstimate, OfANewConversationIsItsBytesAtTheRatioLearnt) {
  PromptEstimate estimate;
  EXPECT_EQ(estimate.tokens(4'000, nullptr), 1'000);
  estimate.learn(6'000, 2'000);
  EXPECT_EQ(estimate.tokens(4'500, nullptr), 1'500);
}

TEST(PromptEstimate, CountsTheLastAnswerOnceForItCameBackInTheBody) {
  const PromptEstimate estimate;
  Conversation known;
  known.bytes = 4'000;
  known.last_prompt = 1'000;
  known.context = 1'300;                             // with an answer of 300
  EXPECT_EQ(estimate.tokens(6'000, &known), 1'500);  // the answer, and 200 more
  EXPECT_EQ(estimate.tokens(3'000, &known), 1'000);
}

}  // namespace
}  // namespace lmw::routing
