#include "routing/prompt_estimate.hpp"

#include "routing/router_fixture.hpp"

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

TEST_F(RouterTest, ATicketTellsHowManyTokensItsPromptIsThoughtToHave) {
  auto turn = turn_of(1);
  turn.bytes = 4'000;
  auto first = router_.route(turn, start).value();
  EXPECT_EQ(first.prompt_tokens(), 1'000);
  first.finish(TurnEnd::answered, {2'000, 0, 10}, start);
  turn.bytes = 5'000;
  EXPECT_EQ(router_.route(turn, start).value().prompt_tokens(), 2'500);
  auto unknown = turn_of(1);
  unknown.key.reset();
  unknown.bytes = 5'000;
  EXPECT_EQ(router_.route(unknown, start).value().prompt_tokens(), 2'500);
}

}  // namespace
}  // namespace lmw::routing
