#include "simulator/responses_input.hpp"

#include <gtest/gtest.h>

#include "simulator/prompt.hpp"
#include "simulator/request.hpp"

namespace lmw::simulator {
namespace {

std::expected<Conversation, ApiError> read(const std::string& items, const std::string& more = "") {
  return read_responses_input(Body::parse(R"({"input":[)" + items + "]" + more + "}"));
}

std::vector<replica::Token> tokens(const std::string& items, const std::string& more = "") {
  const auto conversation = read(items, more);
  EXPECT_TRUE(conversation) << conversation.error().message;
  return conversation ? render_prompt(*conversation) : std::vector<replica::Token>();
}

// The tokens that chat has for these messages.
std::vector<replica::Token> chat_tokens(const std::string& messages, const std::string& more = "") {
  const auto request =
      parse_turn(R"({"messages":[)" + messages + "]" + more + "}", wire::Endpoint::chat_completions);
  EXPECT_TRUE(request) << request.error().message;
  return request ? render_prompt(request->conversation) : std::vector<replica::Token>();
}

constexpr auto user =
    R"({"type":"message","id":"msg_1","role":"user","content":[{"type":"input_text","text":"hi"}]})";
constexpr auto said =
    R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"I will.","annotations":[]}]})";
constexpr auto call =
    R"({"type":"function_call","id":"fc_1","call_id":"c","name":"Bash","arguments":"{\"a\": 1}"})";
constexpr auto result = R"({"type":"function_call_output","id":"fco_1","call_id":"c","output":"done"})";

std::string all(std::initializer_list<std::string> items) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ",") + item;
  return out;
}

TEST(ResponsesInput, ReadsAsTheSameConversationOfChat) {
  const std::string chat = R"({"role":"user","content":"hi"},
    {"role":"assistant","content":"I will.","tool_calls":[{"function":{"name":"Bash","arguments":"{\"a\":1}"}}]},
    {"role":"tool","content":"done"})";
  EXPECT_EQ(tokens(all({user, said, call, result})), chat_tokens(chat));
  const std::string developer =
      R"({"role":"developer","content":[{"type":"input_text","text":"Be brief."}]})";
  const std::string system = R"({"role":"system","content":"Be brief."},)";
  EXPECT_EQ(tokens(all({developer, user})), chat_tokens(system + R"({"role":"user","content":"hi"})"));
  EXPECT_EQ(tokens(user, R"(,"instructions":"Be brief.")"), tokens(all({developer, user})));
}

TEST(ResponsesInput, MayBeOneString) {
  const auto conversation = read_responses_input(Body::parse(R"({"input":"hi"})"));
  ASSERT_TRUE(conversation);
  EXPECT_EQ(render_prompt(*conversation), tokens(user));
}

TEST(ResponsesInput, HasNoTraceOfIdsAndReasoning) {
  const std::string other = R"({"type":"message","id":"msg_2","role":"user","content":"hi"})";
  const std::string reasoning =
      R"({"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":null,"content":[{"type":"reasoning_text","text":"x"}]})";
  EXPECT_EQ(tokens(all({other, reasoning, said, call, result})), tokens(all({user, said, call, result})));
}

TEST(ResponsesInput, PutsATextAfterACallBeforeItAsTheEngineDoes) {
  EXPECT_EQ(tokens(all({user, call, said})), tokens(all({user, said, call})));
  EXPECT_NE(tokens(all({user, said, call})), tokens(all({user, said, said})));
}

TEST(ResponsesInput, KnowsToolsOfANamespaceByTheNameThatTheModelSees) {
  const std::string space = R"(,"tools":[{"type":"namespace","name":"multi","tools":[
    {"type":"function","name":"spawn","parameters":{}}]},{"type":"web_search"}])";
  const auto conversation = read(user, space);
  ASSERT_TRUE(conversation);
  ASSERT_EQ(conversation->tools.size(), 1u);
  EXPECT_EQ(conversation->tools[0].name, "multi__spawn");
  const std::string spawn =
      R"({"type":"function_call","call_id":"c","name":"spawn","namespace":"multi","arguments":"{}"})";
  EXPECT_EQ(read(all({user, spawn}))->messages[1].parts[0].name, "multi__spawn");
}

TEST(ResponsesInput, HasToolsInTheFormOfChat) {
  EXPECT_EQ(tokens(user, R"(,"tools":[{"type":"function","name":"f","parameters":{}}])"),
            chat_tokens(R"({"role":"user","content":"hi"})",
                        R"(,"tools":[{"type":"function","function":{"name":"f","parameters":{}}}])"));
}

TEST(ResponsesInput, ReadsTheCallsOfFreeFormTools) {
  const auto conversation =
      read(all({user, R"({"type":"custom_tool_call","call_id":"c","name":"patch","input":"*** Begin"})",
                R"({"type":"custom_tool_call_output","call_id":"c","output":"done"})"}),
           R"(,"tools":[{"type":"custom","name":"patch","description":"d"}])");
  ASSERT_TRUE(conversation);
  EXPECT_EQ(conversation->tools[0].name, "patch");
  EXPECT_EQ(conversation->messages[1].parts[0],
            (Part{Part::Kind::tool_call, R"({"input":"*** Begin"})", "patch"}));
  EXPECT_EQ(conversation->messages[2].role, "tool");
}

TEST(ResponsesInput, IsRefusedAsTheEngineRefusesIt) {
  const auto error = [](const std::expected<Conversation, ApiError>& read) { return read.error().message; };
  EXPECT_EQ(error(read(all({user, R"({"type":"reasoning","summary":[],"encrypted_content":"gAAA"})"}))),
            "Encrypted content is not supported. (parameter=input)");
  EXPECT_EQ(error(read(R"({"type":"item_reference","id":"x"})")),
            "Unsupported input item type: item_reference (parameter=input)");
  EXPECT_EQ(
      error(read(user, R"(,"tools":[{"type":"custom","name":"p","format":{"type":"grammar"}}])")),
      "Custom tools with a grammar format are not supported; only free-form text custom tools are accepted. "
      "(parameter=tools)");
  EXPECT_EQ(
      error(read_responses_input(Body::parse(R"({"model":"m"})"))),
      "1 validation error:\n  {'type': 'missing', 'loc': 'body.input', 'msg': 'Field required', 'input': "
      "'<dict of 1 items>'}");
}

TEST(ResponsesInput, IsRefusedWithTheFieldThatIsWrong) {
  const auto param = [](const std::expected<Conversation, ApiError>& read) {
    return read.error().param.value_or("");
  };
  EXPECT_EQ(param(read_responses_input(Body::parse(R"({"input":5})"))), "body.input");
  EXPECT_EQ(param(read("5")), "body.input.0");
  EXPECT_EQ(param(read(R"({"foo":1})")), "body.input.0.type");
  EXPECT_EQ(param(read(R"({"role":"nobody","content":"hi"})")), "body.input.0.role");
  EXPECT_EQ(param(read(R"({"role":"user"})")), "body.input.0.content");
  EXPECT_EQ(param(read(R"({"type":"function_call","name":"f","call_id":"c"})")), "body.input.0.arguments");
  EXPECT_EQ(param(read(user, R"(,"tools":{})")), "body.tools");
}

}  // namespace
}  // namespace lmw::simulator
