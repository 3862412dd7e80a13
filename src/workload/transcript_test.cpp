#include "workload/transcript.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "workload/synthetic_plan.hpp"

namespace lmw::workload {
namespace {

// Tokens as the replica model counts them, an answer as `answer` words.
int tokens(const Transcript& transcript) {
  auto count = std::ranges::count(transcript.system(), ' ');
  for (const auto& message : transcript.messages()) count += std::ranges::count(message.text, ' ');
  return static_cast<int>(count);
}

std::string answer_of(int words) {
  std::string text;
  for (int i = 0; i < words; ++i) text += " yes";
  return text;
}

TEST(Transcript, HasThePromptSizesOfItsSession) {
  const Words words(16, "salt");
  const auto agent = plan_session({.turns_low = 4, .turns_high = 4}, 16, 3).agents.front();
  Transcript transcript(words, agent.system_tokens);
  for (const auto& turn : agent.turns) {
    transcript.ask(turn);
    EXPECT_EQ(tokens(transcript), turn.prompt_tokens);
    transcript.answered(answer_of(turn.output_tokens));
  }
  EXPECT_EQ(transcript.messages().size(), 8U);
}

TEST(Transcript, OnlyGrowsWhileItsContentGoesOn) {
  const Words words(16, "salt");
  const auto turns = plan_session({}, 16, 3).agents.front().turns;
  Transcript transcript(words, 0);
  transcript.ask(turns[0]);
  const auto first = transcript.messages()[0].text;
  transcript.answered("one");
  transcript.ask(turns[1]);
  ASSERT_EQ(transcript.messages().size(), 3U);
  EXPECT_EQ(transcript.messages()[0].text, first);
  EXPECT_EQ(transcript.messages()[1].text, "one");
}

TEST(Transcript, ForgetsWhatTheNextTurnDoesNotBeginWith) {
  const Words words(16, "salt");
  Transcript transcript(words, 0);
  const std::vector<Turn> turns{
      {.prompt_tokens = 32, .output_tokens = 16, .content = {{0, 3}}},
      {.prompt_tokens = 64, .output_tokens = 16, .content = {{0, 5}}},
      {.prompt_tokens = 64,
       .output_tokens = 16,
       .content = {{0, 3}, {90, 2}}},                                     // the second turn, asked again
      {.prompt_tokens = 32, .output_tokens = 16, .content = {{500, 3}}},  // compacted
  };
  transcript.ask(turns[0]);
  transcript.answered("one");
  transcript.ask(turns[1]);
  transcript.answered("two");
  transcript.ask(turns[2]);
  ASSERT_EQ(transcript.messages().size(), 3U);
  EXPECT_EQ(transcript.messages()[1].text, "one");
  EXPECT_EQ(transcript.messages()[2].text, words.text({{0, 3}, {90, 2}}, 48, 64));
  transcript.answered("three");
  transcript.ask(turns[3]);
  ASSERT_EQ(transcript.messages().size(), 1U);
  EXPECT_EQ(transcript.messages()[0].text, words.text({{500, 3}}, 0, 32));
}

TEST(Transcript, AlwaysAsksSomething) {
  const Words words(16, "salt");
  Transcript transcript(words, 40);
  transcript.ask({.prompt_tokens = 20, .output_tokens = 1, .content = {{0, 1}}});
  ASSERT_EQ(transcript.messages().size(), 1U);
  EXPECT_FALSE(transcript.messages()[0].text.empty());
  transcript.answered("");
  EXPECT_FALSE(transcript.messages()[1].text.empty());
}

}  // namespace
}  // namespace lmw::workload
