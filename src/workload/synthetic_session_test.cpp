#include "workload/synthetic_session.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lmw::workload {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

std::vector<SyntheticSession::Turn> all_turns(SyntheticSession session) {
  std::vector<SyntheticSession::Turn> turns{session.next()};
  while (!turns.back().last) turns.push_back(session.next());
  return turns;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

int count_words(const std::string& text) { return static_cast<int>(std::ranges::count(text, ' ')); }

// The tokenizer of the replica model reads " " and 1..6 letters as one token; its tests state the same.
TEST(SyntheticText, IsMadeOfWordsOfOneTokenEach) {
  Random random(1);
  const std::string text = random_words(3000, random);
  EXPECT_EQ(count_words(text), 3000);
  const auto words = words_of(text);
  EXPECT_EQ(words.size(), 3000U);
  for (const std::string& word : words) {
    EXPECT_THAT(word.size(), AllOf(Ge(1U), Le(6U))) << word;
    EXPECT_TRUE(std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; })) << word;
  }
  EXPECT_GT(std::set(words.begin(), words.end()).size(), 150U);
}

TEST(SyntheticSession, HasThePublishedShape) {
  const auto turns = all_turns(SyntheticSession({}, 1, "salt"));
  ASSERT_EQ(turns.size(), 6U);
  EXPECT_THAT(count_words(turns[0].new_user_text), AllOf(Ge(7200), Le(7500)));
  for (std::size_t i = 0; i < turns.size(); ++i) {
    EXPECT_EQ(turns[i].index, static_cast<int>(i));
    EXPECT_THAT(turns[i].max_tokens, AllOf(Ge(80), Le(256)));
    if (i > 0) EXPECT_THAT(count_words(turns[i].new_user_text), AllOf(Ge(360), Le(440)));
  }
  EXPECT_EQ(count_words(system_prompt({}, "salt")), 3500);
}

TEST(SyntheticSession, AsksForTheFullOutputInMostTurns) {
  int full = 0;
  int turns = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (const auto& turn : all_turns(SyntheticSession({.first_low = 1, .first_high = 1}, seed, "salt"))) {
      ++turns;
      full += turn.max_tokens == 256;
    }
  }
  EXPECT_NEAR(static_cast<double>(full) / turns, 0.85, 0.03);
}

TEST(SyntheticSession, CanBeOneTurnLong) {
  const auto turns = all_turns(SyntheticSession({.turns_low = 1, .turns_high = 1}, 1, "salt"));
  ASSERT_EQ(turns.size(), 1U);
}

TEST(SyntheticSession, IsTheSameForTheSameSeedAndSalt) {
  const auto a = all_turns(SyntheticSession({}, 5, "salt"));
  const auto b = all_turns(SyntheticSession({}, 5, "salt"));
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].new_user_text, b[i].new_user_text);
    EXPECT_EQ(a[i].max_tokens, b[i].max_tokens);
  }
}

TEST(SyntheticSession, DiffersFromItsNeighbours) {
  std::set<std::string> heads;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    heads.insert(SyntheticSession({}, seed, "salt").next().new_user_text.substr(0, 80));
  }
  EXPECT_EQ(heads.size(), 100U);
}

TEST(SyntheticSession, HasOtherWordsButTheSameSizesUnderAnotherSalt) {
  const auto a = all_turns(SyntheticSession({}, 5, "affinity on"));
  const auto b = all_turns(SyntheticSession({}, 5, "affinity off"));
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NE(a[i].new_user_text.substr(0, 80), b[i].new_user_text.substr(0, 80));
    EXPECT_EQ(count_words(a[i].new_user_text), count_words(b[i].new_user_text));
    EXPECT_EQ(a[i].max_tokens, b[i].max_tokens);
  }
}

TEST(SystemPrompt, IsSharedUnderOneSaltOnly) {
  EXPECT_EQ(system_prompt({}, "a"), system_prompt({}, "a"));
  EXPECT_NE(system_prompt({}, "a").substr(0, 80), system_prompt({}, "b").substr(0, 80));
}

}  // namespace
}  // namespace lmw::workload
