#include "simulator/script.hpp"

#include <gtest/gtest.h>

#include "simulator/request.hpp"

namespace lmw::simulator {
namespace {

// The text of the reply to a request with these messages; "" when no rule holds.
std::string reply_to(const std::string& rules, const std::string& messages, const std::string& tools = "[]") {
  const auto script = Script::parse(R"({"rules":[)" + rules + "]}");
  EXPECT_TRUE(script) << script.error().message;
  const auto request =
      parse_turn(R"({"model":"m","max_tokens":9,"tools":)" + tools + R"(,"messages":[)" + messages + "]}",
                 wire::Endpoint::messages);
  EXPECT_TRUE(request) << request.error().message;
  const auto* parts = script && request ? script->reply_to(request->conversation) : nullptr;
  return parts ? parts->at(0).text : "";
}

constexpr auto user = R"({"role":"user","content":"please say hi"})";
constexpr auto assistant = R"({"role":"assistant","content":"ok"})";
constexpr auto result =
    R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"hi there"}]})";

std::string all(std::initializer_list<std::string> messages) {
  std::string out;
  for (const auto& message : messages) out += (out.empty() ? "" : ",") + message;
  return out;
}

TEST(Script, TakesTheFirstRuleThatHolds) {
  const std::string rules = R"({"when":{"first_user_contains":"no such"},"reply":[{"text":"A"}]},
    {"when":{},"reply":[{"text":"B"}]}, {"reply":[{"text":"C"}]})";
  EXPECT_EQ(reply_to(rules, user), "B");
}

TEST(Script, HasNoReplyWhenNoRuleHolds) {
  EXPECT_EQ(reply_to(R"({"when":{"turn":7},"reply":[{"text":"A"}]})", user), "");
}

TEST(Script, TellsAToolResultFromAQuestion) {
  const std::string rules = R"({"when":{"is_tool_result":true},"reply":[{"text":"result"}]},
    {"when":{"is_tool_result":false},"reply":[{"text":"question"}]})";
  EXPECT_EQ(reply_to(rules, user), "question");
  EXPECT_EQ(reply_to(rules, all({user, assistant, result})), "result");
  EXPECT_EQ(reply_to(rules, all({user, assistant, R"({"role":"tool","content":"x"})"})), "result");
}

TEST(Script, PassesOverSystemMessagesAtTheEnd) {
  const std::string rules = R"({"when":{"last_user_contains":"say hi"},"reply":[{"text":"A"}]})";
  EXPECT_EQ(reply_to(rules, all({user, R"({"role":"system","content":"reminders"})"})), "A");
}

TEST(Script, DoesNotLookIntoReminders) {
  const std::string rules = R"({"when":{"first_user_contains":"secret"},"reply":[{"text":"A"}]})";
  EXPECT_EQ(reply_to(rules, R"({"role":"user","content":[{"type":"text","text":"<system-reminder>secret"},
    {"type":"text","text":"hello"}]})"),
            "");
}

TEST(Script, PassesOverUserMessagesOfNothingButReminders) {
  const std::string rules = R"({"when":{"first_user_contains":"say hi"},"reply":[{"text":"A"}]})";
  const std::string context =
      R"({"role":"user","content":"<environment_context>bash</environment_context>"})";
  EXPECT_EQ(reply_to(rules, all({context, user})), "A");
}

TEST(Script, LooksIntoToolResults) {
  EXPECT_EQ(reply_to(R"({"when":{"last_user_contains":"hi there"},"reply":[{"text":"A"}]})", result), "A");
}

TEST(Script, KnowsTheTurnAndTheTools) {
  EXPECT_EQ(reply_to(R"({"when":{"turn":2},"reply":[{"text":"A"}]})", all({user, assistant, result})), "A");
  const std::string rules = R"({"when":{"has_tool":"Bash"},"reply":[{"text":"A"}]})";
  EXPECT_EQ(reply_to(rules, user, R"([{"name":"Bash"}])"), "A");
  EXPECT_EQ(reply_to(rules, user, R"([{"type":"function","function":{"name":"Bash"}}])"), "A");
  EXPECT_EQ(reply_to(rules, user, R"([{"name":"Read"}])"), "");
}

TEST(Script, SaysWhichRuleIsWrong) {
  for (const std::string bad : {
           R"({"when":{}})",
           R"({"reply":[]})",
           R"({"reply":[{"text":"A"}],"else":1})",
           R"({"when":{"first":"x"},"reply":[{"text":"A"}]})",
           R"({"when":{"turn":"2"},"reply":[{"text":"A"}]})",
           R"({"reply":[{"image":"A"}]})",
           R"({"reply":[{"tool_use":{"name":"Bash"}}]})",
       }) {
    const auto script = Script::parse(R"({"rules":[{"reply":[{"text":"A"}]},)" + bad + "]}");
    ASSERT_FALSE(script) << bad;
    EXPECT_TRUE(script.error().message.starts_with("rule 2: ")) << script.error().message;
  }
  EXPECT_FALSE(Script::parse("[]"));
  EXPECT_FALSE(Script::parse(R"({"rules":[],"more":1})"));
}

}  // namespace
}  // namespace lmw::simulator
