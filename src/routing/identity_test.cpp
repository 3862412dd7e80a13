#include "routing/identity.hpp"

#include <string>

#include <gtest/gtest.h>

#include "routing/key.hpp"

namespace lmw::routing {
namespace {

constexpr std::string_view session = "57a121ec-f78c-48c3-a745-e3036a3ecc33";

TurnKey key_of(const IdentityHints& hints) { return KeyHasher(42).hash(identify(hints), "").value(); }

TEST(Identity, OneSessionIdIsOneConversationWhereverItStands) {
  const auto header = key_of({.claude_session = session});
  EXPECT_EQ(key_of({.metadata_session = session}).conversation, header.conversation);
  EXPECT_EQ(key_of({.session = session}).conversation, header.conversation);
}

TEST(Identity, EachAgentOfASessionIsAConversationOfItsOwn) {
  const auto main = key_of({.claude_session = session});
  const auto a1 = key_of({.claude_session = session, .claude_agent = "a1"});
  const auto a2 = key_of({.claude_session = session, .claude_agent = "a2"});
  EXPECT_NE(a1.conversation, main.conversation);
  EXPECT_NE(a1.conversation, a2.conversation);
  EXPECT_EQ(a1.group, main.group);
  EXPECT_EQ(a1.parent, main.conversation);
  EXPECT_FALSE(main.parent);
}

TEST(Identity, ANestedAgentHasTheAgentThatStartedItAsParent) {
  const auto a1 = key_of({.claude_session = session, .claude_agent = "a1"});
  const auto nested = key_of({.claude_session = session, .claude_agent = "a2", .claude_parent_agent = "a1"});
  EXPECT_EQ(nested.parent, a1.conversation);
}

TEST(Identity, TheMainThreadOfCodexIsItsSession) {
  const auto main = key_of({.codex_thread = "0197-a", .codex_session = "0197-a"});
  EXPECT_EQ(key_of({.codex_session = "0197-a"}).conversation, main.conversation);
  EXPECT_EQ(key_of({.codex_session_old = "0197-a"}).conversation, main.conversation);
  const auto child =
      key_of({.codex_thread = "0197-b", .codex_session = "0197-a", .codex_parent_thread = "0197-a"});
  EXPECT_EQ(child.parent, main.conversation);
  EXPECT_EQ(child.group, main.group);
}

TEST(Identity, SessionWithHyphenWinsOverTheOldNameWithUnderscore) {
  EXPECT_EQ(identify({.codex_session = "new", .codex_session_old = "old"}).group, "new");
  EXPECT_EQ(identify({.codex_session = "not valid", .codex_session_old = "old"}).group, "old");
}

TEST(Identity, ReadsTheWindowNumberOfCodex) {
  EXPECT_EQ(identify({.codex_session = "s", .codex_window = "s:3"}).window, 3U);
  EXPECT_FALSE(identify({.codex_session = "s", .codex_window = "s"}).window);
  EXPECT_FALSE(identify({.codex_session = "s", .codex_window = "s:x"}).window);
}

TEST(Identity, AnOpencodeAgentHasItsParentsSessionAsGroup) {
  const auto main = key_of({.session = "ses_1", .session_affinity = "ses_1"});
  const auto child = key_of({.session = "ses_2", .session_affinity = "ses_2", .parent_session = "ses_1"});
  EXPECT_EQ(child.group, main.group);
  EXPECT_EQ(child.parent, main.conversation);
  EXPECT_NE(child.conversation, main.conversation);
}

TEST(Identity, InvalidIdsFallThroughToTheNextSource) {
  const std::string too_long(129, 'x');
  EXPECT_EQ(identify({.claude_session = too_long, .session = "next"}).source, KeySource::session_header);
  EXPECT_EQ(identify({.claude_session = "with space", .metadata_session = "m"}).source, KeySource::metadata);
  EXPECT_EQ(identify({.session = "ümlaut", .prompt_cache_key = "p"}).source, KeySource::prompt_cache_key);
  EXPECT_EQ(identify({}).source, KeySource::none);
  EXPECT_EQ(identify({.session = std::string(128, 'x').c_str()}).source, KeySource::session_header);
}

TEST(Identity, AUserNameIsNoConversation) {
  EXPECT_EQ(identify({.user = "alice"}).source, KeySource::none);
  EXPECT_EQ(identify({.user = "user-7f3a9c"}).source, KeySource::user);
}

TEST(Key, DependsOnTheSecretAndOnTheScope) {
  const auto identity = identify({.session = session});
  const auto key = KeyHasher(1).hash(identity, "");
  EXPECT_NE(key->conversation, KeyHasher(2).hash(identity, "")->conversation);
  EXPECT_NE(key->conversation, KeyHasher(1).hash(identity, "key-7")->conversation);
  EXPECT_EQ(key->conversation, KeyHasher(1).hash(identity, "")->conversation);
  EXPECT_FALSE(KeyHasher(1).hash(identify({}), ""));
}

TEST(Key, GroupAndMemberDoNotRunIntoEachOther) {
  const auto ab_c = key_of({.claude_session = "ab", .claude_agent = "c"});
  const auto a_bc = key_of({.claude_session = "a", .claude_agent = "bc"});
  EXPECT_NE(ab_c.conversation, a_bc.conversation);
}

}  // namespace
}  // namespace lmw::routing
