#include "config/glob.hpp"

#include <string>

#include <gtest/gtest.h>

namespace lmw::config {
namespace {

TEST(Glob, WithoutWildcardsOnlyTheSameTextMatches) {
  EXPECT_TRUE(glob_match("gpt-5", "gpt-5"));
  EXPECT_FALSE(glob_match("gpt-5", "gpt-5.1"));
  EXPECT_FALSE(glob_match("gpt-5.1", "gpt-5"));
  EXPECT_FALSE(glob_match("GPT", "gpt"));
  EXPECT_TRUE(glob_match("", ""));
  EXPECT_FALSE(glob_match("", "a"));
}

TEST(Glob, AStarIsAnyRunEvenNone) {
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("claude-*", "claude-"));
  EXPECT_TRUE(glob_match("claude-*", "claude-sonnet-4"));
  EXPECT_TRUE(glob_match("*/qwen*", "org/sub/qwen3"));
  EXPECT_FALSE(glob_match("claude-*", "a-claude-x"));
  EXPECT_FALSE(glob_match("*-mini", "gpt-mini-x"));
}

TEST(Glob, AStarMovesOnUntilTheRestFits) {
  EXPECT_TRUE(glob_match("*ab", "aab"));
  EXPECT_TRUE(glob_match("a*bc*d", "abxbcxd"));
  EXPECT_TRUE(glob_match("**a**", "ba"));
  EXPECT_FALSE(glob_match("a*bc*d", "abxbxcd"));
}

TEST(Glob, AQuestionMarkIsExactlyOneByte) {
  EXPECT_TRUE(glob_match("gpt-?", "gpt-5"));
  EXPECT_FALSE(glob_match("gpt-?", "gpt-"));
  EXPECT_FALSE(glob_match("gpt-?", "gpt-55"));
  EXPECT_TRUE(glob_match("*?", "x"));
  EXPECT_FALSE(glob_match("*?", ""));
}

TEST(Glob, APatternMadeToBacktrackStaysCheap) {
  // A recursive matcher needs about 10^30 steps for this one and never ends; ours needs a few thousand.
  std::string pattern;
  for (int i = 0; i < 30; ++i) pattern += "a*";
  EXPECT_FALSE(glob_match(pattern + "b", std::string(200, 'a')));
}

}  // namespace
}  // namespace lmw::config
