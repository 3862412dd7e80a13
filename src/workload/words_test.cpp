#include "workload/words.hpp"

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
using Content = std::vector<BlockRun>;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// The tokenizer of the replica model reads " " and 1..6 letters as one token; its tests state the same.
TEST(Words, AreOneTokenEach) {
  const auto text = Words(16, "salt").text(Content{{7, 200}}, 0, 3000);
  EXPECT_EQ(std::ranges::count(text, ' '), 3000);
  const auto words = words_of(text);
  EXPECT_EQ(words.size(), 3000U);
  for (const std::string& word : words) {
    EXPECT_THAT(word.size(), AllOf(Ge(1U), Le(6U))) << word;
    EXPECT_TRUE(std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; })) << word;
  }
  EXPECT_GT(std::set(words.begin(), words.end()).size(), 150U);
}

TEST(Words, AreTheSameWhereverTheTextIsCut) {
  const Words words(16, "salt");
  const Content content{{7, 2}, {40, 1}};
  EXPECT_EQ(words.text(content, 0, 60), words.text(content, 0, 19) + words.text(content, 19, 60));
  EXPECT_EQ(words.text(content, 48, 60), words.text({{7, 2}, {40, 2}}, 48, 60))
      << "as if the content went on";
}

TEST(Words, AreFewerWhereEachIsMoreTokens) {
  const Words words(16, "salt", 2.1);
  const Content content{{7, 200}};
  EXPECT_NEAR(std::ranges::count(words.text(content, 0, 3000), ' '), 3000 / 2.1, 1);
  EXPECT_EQ(words.text(content, 0, 60), words.text(content, 0, 19) + words.text(content, 19, 60));
  EXPECT_FALSE(words.text(content, 19, 20).empty());
}

TEST(Words, AreThoseOfTheBlockUnderOneSaltOnly) {
  const Words words(16, "affinity on");
  EXPECT_EQ(words.text({{7, 1}, {50, 1}}, 16, 32), words.text({{9, 1}, {50, 1}}, 16, 32));
  EXPECT_NE(words.text({{7, 1}}, 0, 16), words.text({{8, 1}}, 0, 16));
  EXPECT_NE(words.text({{7, 1}}, 0, 16), Words(16, "affinity off").text({{7, 1}}, 0, 16));
}

}  // namespace
}  // namespace lmw::workload
