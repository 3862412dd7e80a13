#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/peek.hpp"

namespace lmw::wire {
namespace {

Fingerprint print_of(std::string body) {
  const auto size = body.size();
  body.resize(size + padding);
  auto peeked = peek(std::string_view(body).substr(0, size));
  EXPECT_TRUE(peeked.has_value()) << body;
  return peeked ? peeked->fingerprint : Fingerprint{};
}

// Of a list of messages.
Fingerprint of(const std::string& messages) { return print_of(R"({"messages":[)" + messages + "]}"); }

const std::string user = R"({"role":"user","content":"fix the parser"})";
const std::string answer = R"({"role":"assistant","content":"done"})";

TEST(Fingerprint, OfATurnIsAPrefixOfThatOfTheNextTurn) {
  const auto first = of(user);
  const auto next = of(user + "," + answer + R"(,{"role":"user","content":"more"})");
  ASSERT_EQ(first.messages.size(), 1u);
  ASSERT_EQ(next.messages.size(), 3u);
  EXPECT_EQ(next.messages[0].exact, first.messages[0].exact);
  EXPECT_EQ(next.messages[0].identity, first.identity());
  EXPECT_NE(next.messages[1].exact, next.messages[0].exact);
  EXPECT_NE(next.identity(), first.identity());
}

TEST(Fingerprint, AListOfTextPartsIsTheirText) {
  const auto plain = of(user);
  for (
      const std::string same : {
          R"({"role":"user","content":[{"type":"text","text":"fix the parser"}]})",
          R"({"content":[{"text":"fix the parser","type":"text","cache_control":{"type":"ephemeral"}}],"role":"user"})",
          R"({"role":"user","content":[{"type":"text","text":"fix "},{"type":"text","text":"the parser"}]})",
          R"({"type":"message","id":"msg_1","role":"user","content":[{"type":"input_text","text":"fix the parser"}]})",
      }) {
    EXPECT_EQ(of(same).messages[0].exact, plain.messages[0].exact) << same;
    EXPECT_EQ(of(same).identity(), plain.identity()) << same;
  }
  EXPECT_NE(of(R"({"role":"assistant","content":"fix the parser"})").identity(), plain.identity());
  EXPECT_NE(of(R"({"role":"user","content":"fix the parsers"})").identity(), plain.identity());
}

TEST(Fingerprint, CacheMarksItemIdsAndStatesAreLeftOut) {
  const auto with = of(
      R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"out","cache_control":{"type":"ephemeral"}}]})");
  const auto without =
      of(R"({"role":"user","content":[{"content":"out","type":"tool_result","tool_use_id":"t1"}]})");
  const auto other =
      of(R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"err"}]})");
  EXPECT_EQ(with.identity(), without.identity());
  EXPECT_NE(with.identity(), other.identity());

  const auto item =
      of(R"({"type":"function_call","status":"completed","id":"fc_1","name":"f","arguments":"{}"})");
  EXPECT_EQ(item.identity(),
            of(R"({"type":"function_call","id":"fc_2","name":"f","arguments":"{}"})").identity());
  EXPECT_NE(item.identity(), of(R"({"type":"function_call","name":"f","arguments":"{1}"})").identity());
}

TEST(Fingerprint, TheContentOfAToolResultMayBeAListToo) {
  const auto list = of(
      R"({"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"a","cache_control":{}}]}]})");
  const auto unmarked =
      of(R"({"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"a"}]}]})");
  EXPECT_EQ(list.identity(), unmarked.identity());
}

TEST(Fingerprint, RemindersDoNotIdentifyButAreRead) {
  const auto with = of(
      R"({"role":"user","content":[{"type":"text","text":"<system-reminder>\nit is Monday\n</system-reminder>"},)"
      R"({"type":"text","text":"fix the parser"}]})");
  const auto plain = of(user);
  EXPECT_EQ(with.identity(), plain.identity());
  EXPECT_NE(with.messages[0].exact, plain.messages[0].exact);

  const auto alone = of(
      R"({"role":"user","content":[{"type":"input_text","text":"<environment_context>\ncwd\n</environment_context>"}]})");
  EXPECT_EQ(alone.identity(), 0u);
  EXPECT_NE(alone.messages[0].exact, 0u);
}

TEST(Fingerprint, ASystemPromptAloneIdentifiesNothing) {
  const auto system = of(R"({"role":"system","content":"You are an agent"})");
  EXPECT_EQ(system.identity(), 0u);
  EXPECT_NE(system.system.hash, 0u);
  EXPECT_EQ(of(R"({"role":"system","content":"You are an agent"},)" + user).identity(), of(user).identity());
  EXPECT_EQ(of(R"({"role":"developer","content":"You are an agent"},)" + user).identity(),
            of(user).identity());
  // In the middle it is part of the prompt, and no system prompt.
  const auto middle = of(user + R"(,{"role":"system","content":"skills"})");
  EXPECT_EQ(middle.identity(), of(user).identity());
  EXPECT_EQ(middle.system.hash, 0u);
  EXPECT_NE(middle.messages[1].exact, middle.messages[0].exact);
}

TEST(Fingerprint, AKeyMayBeWrittenWithEscapes) {
  const auto escaped =
      of(R"({"role":"user","n\u0061me":"x","content":[{"type":"image","n\u0061me":"y","\"":1}]})");
  const auto plain = of(R"({"role":"user","name":"x","content":[{"type":"image","name":"y","\u0022":1}]})");
  EXPECT_EQ(escaped.identity(), plain.identity());
}

TEST(Fingerprint, TellsWhetherThePromptHasAHistory) {
  EXPECT_FALSE(print_of(R"({"messages":[{"role":"system","content":"s"},{"role":"user","content":"a"}]})")
                   .has_answers);
  EXPECT_TRUE(print_of(R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]})")
                  .has_answers);
  EXPECT_TRUE(
      print_of(R"({"input":[{"role":"user","content":"a"},{"type":"function_call_output","output":"b"}]})")
          .has_answers);
  EXPECT_FALSE(
      print_of(
          R"({"messages":[{"role":"assistant","content":"b"}],"messages":[{"role":"user","content":"a"}]})")
          .has_answers);
}

TEST(Fingerprint, TheBillingLineIsInNoHash) {
  const std::string text = R"({"type":"text","text":"You are an agent"})";
  const auto bare = print_of(R"({"system":[)" + text + "]}");
  const auto block =
      print_of(R"({"system":[{"type":"text","text":"x-anthropic-billing-header: cch=1;"},)" + text + "]}");
  EXPECT_EQ(block.system.hash, bare.system.hash);
  const auto line = print_of(R"({"system":"x-anthropic-billing-header: cch=2;\nYou are an agent"})");
  EXPECT_EQ(line.system.hash, bare.system.hash);
  EXPECT_NE(print_of(R"({"system":"You are another"})").system.hash, bare.system.hash);
}

TEST(Fingerprint, PiecesTellWhereATextChanges) {
  std::string system(1000, 'a');
  const auto before = print_of(R"({"system":")" + system + R"(","messages":[]})");
  system[312] = 'b';
  const auto after = print_of(R"({"system":")" + system + R"(","messages":[]})");
  ASSERT_EQ(before.system.pieces.size(), 16u);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(before.system.pieces[i].hash == after.system.pieces[i].hash, i != 312 / 64) << i;
    EXPECT_EQ(before.system.pieces[i].end, std::min<std::size_t>(64 * (i + 1), 1000));
  }
}

TEST(Fingerprint, IsBoundedWhateverTheSizeOfThePrompt) {
  std::string messages = R"({"role":"user","content":")" + std::string(1 << 20, 'x') + R"("})";
  for (int i = 0; i < 5000; ++i) messages += R"(,{"role":"user","content":"x"})";
  const auto print = of(messages);
  EXPECT_EQ(print.messages.size(), Fingerprint::max_messages);
  EXPECT_EQ(print.messages[0].pieces.size(), Fingerprint::max_pieces);
  EXPECT_TRUE(print.messages[Fingerprint::messages_in_pieces].pieces.empty());
  EXPECT_EQ(print_of(R"({"tools":[")" + std::string(1 << 20, 'x') + R"("]})").tools.pieces.size(),
            Fingerprint::max_pieces);
}

TEST(Fingerprint, ALastMessageMayLoseItsTail) {
  const auto asked = of(R"({"role":"user","content":"fix the parser\n\n# Rules:\n\nUse blocks."})");
  const auto history = of(user + "," + answer);
  EXPECT_THAT(asked.tails, testing::Contains(history.messages[0].identity));
  EXPECT_EQ(asked.tails.size(), 2u);
  const auto blank_lines_ahead = of(R"({"role":"user","content":"\n\nfix the parser\n\n# Rules"})");
  const auto without_rules = of(R"({"role":"user","content":"\n\nfix the parser"})");
  EXPECT_THAT(blank_lines_ahead.tails, testing::ElementsAre(without_rules.identity()));
  EXPECT_TRUE(of(user).tails.empty());
  EXPECT_TRUE(of(user + R"(,{"role":"assistant","content":"a\n\nb"})").tails.empty());
}

TEST(Fingerprint, ToolsAreReadWholeAndInOrder) {
  const auto tools = [](const std::string& list) {
    return print_of(R"({"tools":[)" + list + "]}").tools.hash;
  };
  EXPECT_EQ(tools(""), 0u);
  EXPECT_NE(tools(R"({"name":"a"},{"name":"b"})"), tools(R"({"name":"b"},{"name":"a"})"));
}

TEST(Fingerprint, OfResponsesTakesItsInputAndInstructions) {
  const auto text = print_of(R"({"instructions":"be brief","input":"fix the parser"})");
  EXPECT_EQ(text.identity(), of(user).identity());
  EXPECT_EQ(text.system.hash, print_of(R"({"system":"be brief"})").system.hash);
}

TEST(Fingerprint, OfACompletionIsItsPromptInPieces) {
  const auto of_prompt = [](std::size_t p, std::size_t q) {
    return print_of(R"({"prompt":")" + std::string(p, 'p') + std::string(q, 'q') + R"("})");
  };
  const auto small = of_prompt(300, 0), more = of_prompt(300, 300);
  ASSERT_EQ(small.messages.size(), 1u);
  ASSERT_EQ(more.messages.size(), 2u);
  EXPECT_EQ(more.messages[0].identity, small.identity());
  const auto large = of_prompt(5000, 0), larger = of_prompt(5000, 3000);
  ASSERT_EQ(large.messages.size(), 9u);
  ASSERT_EQ(larger.messages.size(), 10u);
  EXPECT_EQ(larger.messages[8].identity, large.identity());
  EXPECT_EQ(print_of(R"({"prompt":"short"})").messages.size(), 1u);
  EXPECT_EQ(print_of(R"({"prompt":[1,2,3]})").messages.size(), 1u);
  EXPECT_EQ(print_of(R"({"prompt":[ ]})").messages.size(), 0u);
}

TEST(Fingerprint, TheLastOfDuplicatesCounts) {
  EXPECT_EQ(print_of(R"({"messages":[{"role":"user","content":"no"}],"messages":[)" + user + "]}").identity(),
            of(user).identity());
  EXPECT_EQ(print_of(R"({"messages":[)" + user + R"(],"messages":null})").messages.size(), 0u);
}

}  // namespace
}  // namespace lmw::wire
