#include "simulator/reply.hpp"

#include <gtest/gtest.h>

namespace lmw::simulator {
namespace {

TEST(DrawLength, IsAllThatIsAllowedWhenTheEndTokenIsIgnored) {
  Random random(1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(draw_length(1000, true, random).tokens, 1000);
}

TEST(DrawLength, IsAllThatIsAllowedInMostCasesAndNeverMore) {
  Random random(1);
  int full = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto length = draw_length(1000, false, random);
    if (length.finish == Finish::length) {
      ++full;
      EXPECT_EQ(length.tokens, 1000);
    } else {
      EXPECT_GE(length.tokens, 80);
      EXPECT_LE(length.tokens, 256);
    }
  }
  EXPECT_NEAR(full, 1700, 100);
}

TEST(DrawLength, IsCutByASmallLimit) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const auto length = draw_length(16, false, random);
    EXPECT_EQ(length.tokens, 16);
    EXPECT_EQ(length.finish, Finish::length);
  }
}

TEST(RandomReply, HasOneTokenAWord) {
  Random random(5);
  const auto reply = random_reply({200, Finish::stop}, random);
  EXPECT_EQ(reply.size(), 200);
  EXPECT_EQ(reply.parts.at(0).cuts.size(), 200u);
}

TEST(ReplyCursor, GivesTheWholeTextWhateverTheSteps) {
  Random random(5);
  const auto reply = random_reply({50, Finish::stop}, random);
  for (int step = 1; step <= 50; ++step) {
    ReplyCursor cursor(reply);
    std::string text;
    for (int now = step;; now += step) {
      while (const auto delta = cursor.next(now)) text += delta->text;
      if (now >= 50) break;
    }
    EXPECT_EQ(text, reply.parts[0].part.text) << "step " << step;
  }
}

TEST(ReplyCursor, NeverCutsACharacter) {
  Random ids(1);
  const auto reply =
      scripted_reply({{Part::Kind::text, "日本語のテキストです", ""}}, wire::Endpoint::chat_completions, ids);
  ReplyCursor cursor(reply);
  for (int now = 1; now <= reply.size(); ++now) {
    while (const auto delta = cursor.next(now)) EXPECT_EQ(delta->text.size() % 3, 0u);
  }
}

TEST(ReplyCursor, HoldsACallBackUntilItsLastToken) {
  Random ids(1);
  const auto reply = scripted_reply({{Part::Kind::tool_call, R"({"command":"ls"})", "Bash"}},
                                    wire::Endpoint::chat_completions, ids);
  ReplyCursor cursor(reply);
  EXPECT_FALSE(cursor.next(reply.size() - 1));
  const auto delta = cursor.next(reply.size());
  ASSERT_TRUE(delta);
  EXPECT_TRUE(delta->opens && delta->closes);
  EXPECT_EQ(delta->text, R"({"command":"ls"})");
}

TEST(ScriptedReply, HasAtLeastOneToken) {
  Random ids(1);
  EXPECT_GE(scripted_reply({{Part::Kind::text, "", ""}}, wire::Endpoint::chat_completions, ids).size(), 1);
}

TEST(ScriptedReply, HasItsPartsInTheOrderOfTheEndpoint) {
  const std::vector<Part> parts{
      {Part::Kind::tool_call, "{}", "Done"}, {Part::Kind::text, "a", ""}, {Part::Kind::text, "b", ""}};
  const auto order = [&](wire::Endpoint endpoint) {
    Random ids(1);
    std::vector<std::string> texts;
    for (const auto& part : scripted_reply(parts, endpoint, ids).parts) texts.push_back(part.part.text);
    return texts;
  };
  EXPECT_EQ(order(wire::Endpoint::messages), (std::vector<std::string>{"{}", "a", "b"}));
  EXPECT_EQ(order(wire::Endpoint::chat_completions), (std::vector<std::string>{"ab", "{}"}));
  EXPECT_EQ(order(wire::Endpoint::responses), (std::vector<std::string>{"ab", "{}"}));
  EXPECT_EQ(order(wire::Endpoint::completions), std::vector<std::string>{"ab"});
}

TEST(ScriptedReply, GivesEachCallAnIdOfItsOwn) {
  Random ids(1);
  const Part call{Part::Kind::tool_call, "{}", "Done"};
  const auto reply = scripted_reply({call, call}, wire::Endpoint::messages, ids);
  EXPECT_NE(reply.parts[0].id, reply.parts[1].id);
  EXPECT_EQ(reply.parts[0].id.size(), std::string("toolu_").size() + 24);
}

}  // namespace
}  // namespace lmw::simulator
