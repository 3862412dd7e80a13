#include "admin/client_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lmw::admin {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string text_of(std::string_view client, const engine::ServedModel& model) {
  for (const auto& each : client_settings("http://127.0.0.1:8080", model))
    if (each.client == client) return each.text;
  return "";
}

TEST(ClientSettings, NameTheAddressAndTheModel) {
  EXPECT_EQ(
      text_of("aider", {"Org/Model", {}}),
      "export OPENAI_API_BASE=http://127.0.0.1:8080/v1 OPENAI_API_KEY=local\naider --model openai/Org/Model");
  EXPECT_THAT(text_of("Codex", {"Org/Model", {}}), HasSubstr("model = \"Org/Model\"\n"));
  EXPECT_THAT(text_of("opencode", {"Org/Model", {}}), HasSubstr("\"baseURL\": \"http://127.0.0.1:8080/v1\""));
}

TEST(ClientSettings, TellClaudeCodeToAskForLessWhereTheContextIsSmall) {
  EXPECT_THAT(text_of("Claude Code", {"m", 24'000}), HasSubstr("CLAUDE_CODE_MAX_OUTPUT_TOKENS=3000"));
  EXPECT_THAT(text_of("Claude Code", {"m", 31'999}), HasSubstr("CLAUDE_CODE_MAX_OUTPUT_TOKENS=3999"));
  EXPECT_THAT(text_of("Claude Code", {"m", 32'000}), Not(HasSubstr("MAX_OUTPUT")));
  EXPECT_THAT(text_of("Claude Code", {"m", {}}), Not(HasSubstr("MAX_OUTPUT")));
}

TEST(ClientSettings, QuoteNamesThatAShellWouldRead) {
  EXPECT_THAT(text_of("qwen-code", {"a'; rm -rf $HOME; '", {}}),
              HasSubstr(R"(OPENAI_MODEL='a'\''; rm -rf $HOME; '\''')"));
  EXPECT_THAT(text_of("Codex", {"a\"\nb", {}}), HasSubstr(R"(model = "a\"\nb")"));
}

}  // namespace
}  // namespace lmw::admin
