#include "replica/tokens.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replica/engine.hpp"
#include "replica/testing.hpp"

namespace lmw::replica {
namespace {

using testing::conversation;
using ::testing::ElementsAre;

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  append_tokens(text, tokens);
  return tokens;
}

TEST(Tokens, CountsByItsRules) {
  EXPECT_EQ(count_tokens(""), 0U);
  EXPECT_EQ(count_tokens("word"), 1U);
  EXPECT_EQ(count_tokens(" word"), 1U);
  EXPECT_EQ(count_tokens("longer words"), 2U);
  EXPECT_EQ(count_tokens("concatenation"), 3U);  // concat|enatio|n
  EXPECT_EQ(count_tokens("12345"), 2U);
  EXPECT_EQ(count_tokens(" 1"), 2U);
  EXPECT_EQ(count_tokens("f(x) {\n\n"), 6U);     // f|(|x|)| {|\n\n
  EXPECT_EQ(count_tokens("     indented"), 3U);  // four spaces| indent|ed
  EXPECT_EQ(count_tokens(std::string(20, ' ')), 2U);
  EXPECT_EQ(count_tokens("größe"), 2U);  // größ|e in bytes
}

TEST(Tokens, TellsPiecesApart) { EXPECT_NE(tokens_of(" word"), tokens_of("word")); }

TEST(Tokens, CountsAsManyAsItAppends) {
  constexpr std::string_view kText = "int main() {\n  return 42;  // the answer\n}\n";
  EXPECT_EQ(tokens_of(kText).size(), count_tokens(kText));
}

TEST(Tokens, IsAboutFourBytesAToken) {
  constexpr std::string_view kProse =
      "The scheduler admits a request only when its whole sequence fits into the cache. Otherwise it waits, "
      "and so do "
      "all that came later: first come, first served. A step that has to preempt admits nobody.\n";
  constexpr std::string_view kCode =
      "for (const BlockId block : head.blocks) pool_.hold(block);\n  head.computed = size(head.blocks) * "
      "block_size_;\n"
      "  if (need <= pool_.free_blocks()) return true;\n";
  EXPECT_NEAR(static_cast<double>(kProse.size()) / static_cast<double>(count_tokens(kProse)), 4.5, 0.6);
  EXPECT_NEAR(static_cast<double>(kCode.size()) / static_cast<double>(count_tokens(kCode)), 3.6, 0.6);
}

TEST(Tokens, HasWordsOfOneTokenWhateverStandsBefore) {
  Random random(1);
  std::set<std::string_view> words;
  for (int i = 0; i < 5000; ++i) words.insert(random_word(random));
  EXPECT_GT(words.size(), 100U);
  for (const std::string_view word : words) {
    for (const std::string before :
         {"", "a", "letters", "9", ".", "\n", " ", "  ", "x ", "}\n\t", "é", "................"}) {
      EXPECT_EQ(count_tokens(before + std::string(word)), count_tokens(before) + 1) << before << '|' << word;
    }
  }
}

TEST(Tokens, HasWordsOfOneTokenAfterAnyNumberOfSpaces) {
  for (std::size_t spaces = 0; spaces < 60; ++spaces) {
    const std::string before(spaces, ' ');
    EXPECT_EQ(count_tokens(before + " word"), count_tokens(before) + 1) << spaces;
  }
}

TEST(Tokens, ReadsAReplyThatIsSentBackAsTheTokensItWas) {
  Random random(2);
  const std::string prompt = "<user>\nWhat now?\n<assistant>\n";
  auto expected = tokens_of(prompt);
  std::string text = prompt;
  for (int i = 0; i < 300; ++i) {
    const std::string_view word = random_word(random);
    append_tokens(word, expected);
    text += word;
  }
  text += "\n<user>\n";
  append_tokens("\n<user>\n", expected);
  EXPECT_EQ(tokens_of(text), expected);
}

TEST(BlockKeys, NameFullBlocksOnly) {
  EXPECT_EQ(block_keys(conversation(1, 11), 4).size(), 2U);
  EXPECT_EQ(block_keys(conversation(1, 12), 4).size(), 3U);
  EXPECT_TRUE(block_keys({}, 4).empty());
}

TEST(BlockKeys, DependOnAllThatStandsBefore) {
  auto tokens = conversation(1, 12);
  const auto keys = block_keys(tokens, 4);
  tokens[5] += 1;
  const auto changed = block_keys(tokens, 4);
  EXPECT_EQ(changed[0], keys[0]);
  EXPECT_NE(changed[1], keys[1]);
  EXPECT_NE(changed[2], keys[2]);
}

TEST(BlockKeys, OfAPrefixAreAPrefixOfTheKeys) {
  const auto keys = block_keys(conversation(1, 12), 4);
  EXPECT_THAT(block_keys(conversation(1, 8), 4), ElementsAre(keys[0], keys[1]));
}

// The words of folder `workload`, which can't include this one, are made to be one token each.
TEST(Tokens, CountsTheWordsOfTheSyntheticWorkload) {
  EXPECT_EQ(count_tokens(" harbor maple lantern"), 4U);  // lanter|n is too long to be one of them
  EXPECT_EQ(count_tokens(" able above acid add again"), 5U);
  EXPECT_EQ(count_tokens("\n able above acid add again\n"), 7U);
}

}  // namespace
}  // namespace lmw::replica
