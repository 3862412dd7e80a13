#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/sample_answer.hpp"

namespace lmw::simulator {
namespace {

using Json = nlohmann::ordered_json;
using testing::EndsWith;
using testing::HasSubstr;

// One choice of so many words for each count, each after a prompt of so many tokens.
std::vector<Generation> choices(std::initializer_list<int> counts) {
  std::vector<Generation> made;
  for (const int count : counts) made.push_back({std::vector<replica::Token>(300), words(count)});
  return made;
}

AnswerHead cmpl_head() {
  auto head = sample_head();
  head.id = "cmpl-1";
  return head;
}

TEST(CompletionsAnswer, StreamsWithoutUsageAsTheEngineDoes) {
  const auto generations = choices({4});
  const auto answer = make_completions_answer(cmpl_head(), generations);
  EXPECT_EQ(event_shapes(token_by_token(*answer, 4)), event_shapes(recorded("sse-completions.txt")));
}

TEST(CompletionsAnswer, StreamsTheUsageChunkAsTheEngineDoesWhenAsked) {
  const auto generations = choices({4});
  auto head = cmpl_head();
  head.include_usage = true;
  const auto stream = token_by_token(*make_completions_answer(head, generations), 4);
  EXPECT_EQ(event_shapes(stream), event_shapes(recorded("sse-completions-usage.txt")));
  EXPECT_THAT(stream, HasSubstr(R"("usage":{"prompt_tokens":1134,"total_tokens":1138,"completion_tokens":4,)"
                                R"("prompt_tokens_details":{"cached_tokens":1024}})"));
}

TEST(CompletionsAnswer, StreamsUsageInEveryChunkAsTheEngineDoesWhenAsked) {
  const auto generations = choices({2});
  auto head = cmpl_head();
  head.include_usage = head.continuous_usage_stats = true;
  const auto stream = token_by_token(*make_completions_answer(head, generations), 2);
  EXPECT_EQ(event_shapes(stream), event_shapes(recorded("sse-completions-continuous-usage.txt")));
  EXPECT_THAT(stream,
              HasSubstr(R"("usage":{"prompt_tokens":300,"total_tokens":301,"completion_tokens":1}})"));
}

TEST(CompletionsAnswer, StreamsSeveralPromptsAsChoicesThatComeBetweenEachOther) {
  const auto generations = choices({2, 2});
  auto head = cmpl_head();
  head.include_usage = true;
  const auto answer = make_completions_answer(head, generations);
  auto stream = answer->events({1, 0}) + answer->events({1, 1});
  stream += answer->events({2, 1});
  stream += answer->events({2, 0});
  stream += answer->end(sample_counts);
  EXPECT_EQ(event_shapes(stream), event_shapes(recorded("sse-completions-list.txt")));
  EXPECT_THAT(stream, HasSubstr(R"("completion_tokens":4)"));
}

TEST(CompletionsAnswer, IsWholeAsTheEnginesIs) {
  const auto one = choices({4});
  EXPECT_EQ(shape_of(make_completions_answer(cmpl_head(), one)->whole(sample_counts)),
            shape_of(recorded("completion.json")));
  const auto two = choices({2, 2});
  EXPECT_EQ(shape_of(make_completions_answer(cmpl_head(), two)->whole(sample_counts)),
            shape_of(recorded("completion-list.json")));
}

TEST(CompletionsAnswer, HasNoDetailsWhereTheyAreOff) {
  const auto generations = choices({4});
  auto head = cmpl_head();
  head.include_usage = true;
  head.cache_details = false;
  const auto stream = token_by_token(*make_completions_answer(head, generations), 4);
  EXPECT_THAT(stream, testing::Not(HasSubstr("prompt_tokens_details")));
  EXPECT_THAT(stream, EndsWith("data: [DONE]\n\n"));
  const auto whole = Json::parse(make_completions_answer(head, generations)->whole(sample_counts));
  EXPECT_TRUE(whole.at("usage").at("prompt_tokens_details").is_null());
}

}  // namespace
}  // namespace lmw::simulator
