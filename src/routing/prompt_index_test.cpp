#include "routing/prompt_index.hpp"

#include <gtest/gtest.h>

#include "routing/router_fixture.hpp"

namespace lmw::routing {
namespace {

using Part = PromptBreak::Part;

constexpr ConversationKey one(1), two(2);

class PromptIndexTest : public testing::Test {
 protected:
  PromptBreak broken(const Fingerprint& before, const Fingerprint& now) {
    index_.record(one, before);
    return index_.compare(one, now).value().broken.value();
  }
  PromptIndex index_{8};
};

TEST_F(PromptIndexTest, SaysWhereASystemPromptChanges) {
  auto before = prompt_of({"task"});
  auto now = before;
  before.system = {1, {{64, 10}, {128, 11}, {192, 12}}};
  now.system = {2, {{64, 10}, {128, 99}, {192, 12}}};
  EXPECT_EQ(broken(before, now), (PromptBreak{Part::system, 0, 64}));
  now.system = {2, {{64, 10}, {128, 11}}};
  EXPECT_EQ(broken(before, now), (PromptBreak{Part::system, 0, 128}));
  now.system = {2, before.system.pieces};
  EXPECT_EQ(broken(before, now), (PromptBreak{Part::system, 0, {}}));
}

TEST_F(PromptIndexTest, SaysWhichMessageChanges) {
  const auto before = prompt_of({"a", "b", "c", "d", "e", "f"});
  EXPECT_EQ(broken(before, prompt_of({"a", "b", "c", "d", "x", "f", "g"})),
            (PromptBreak{Part::message, 4, {}}));
  EXPECT_EQ(broken(before, prompt_of({"a", "b", "c", "d", "e", "f"}, 1, 9)),
            (PromptBreak{Part::tools, 0, {}}));
}

TEST_F(PromptIndexTest, APromptThatGoesOnIsNotBroken) {
  index_.record(one, prompt_of({"a", "b"}));
  EXPECT_FALSE(index_.compare(one, prompt_of({"a", "b", "c"}))->broken);
  EXPECT_FALSE(index_.compare(one, prompt_of({"a", "b"}))->broken);
  EXPECT_FALSE(index_.compare(one, prompt_of({"a"}))->broken);
  EXPECT_FALSE(index_.compare(two, prompt_of({"a"})));
}

TEST_F(PromptIndexTest, APrefixIsGoneWithOtherWordsOrFarFewerMessages) {
  index_.record(one, prompt_of({"a", "b", "c", "d", "e"}));
  EXPECT_TRUE(index_.compare(one, prompt_of({"summary"}))->other_start);
  EXPECT_TRUE(index_.compare(one, prompt_of({"summary"}))->replaced);
  EXPECT_FALSE(index_.compare(one, prompt_of({"a", "b"}))->other_start);
  EXPECT_TRUE(index_.compare(one, prompt_of({"a", "b"}))->replaced);
  EXPECT_FALSE(index_.compare(one, prompt_of({"a", "b", "c"}))->replaced);
}

TEST_F(PromptIndexTest, FindsTheLongestHeadThatIsNotShared) {
  index_.record(one, prompt_of({"example", "task"}));
  EXPECT_FALSE(index_.find(prompt_of({"example", "other"})));
  EXPECT_FALSE(index_.find(prompt_of({"example"})));
  const auto same = index_.find(prompt_of({"example", "task"})).value();
  EXPECT_TRUE(same.whole && !same.longer);
  const auto longer = index_.find(prompt_of({"example", "task", "answer", "more"})).value();
  EXPECT_TRUE(longer.whole && longer.longer);

  index_.record(one, prompt_of({"example", "task", "answer", "more"}));
  const auto branch = index_.find(prompt_of({"example", "task", "answer", "else"})).value();
  EXPECT_EQ(branch.conversation, one);
  EXPECT_FALSE(branch.whole);
}

TEST_F(PromptIndexTest, FindsAnyOfTheLatestHeadsOfALongConversation) {
  std::vector<std::string> messages = {"task"};
  index_.record(one, prompt_of(messages));
  for (int i = 0; i < 200; ++i) {
    messages.insert(messages.end(), {"answer", "result" + std::to_string(i)});
    ASSERT_TRUE(index_.find(prompt_of(messages))->whole) << i;
    index_.record(one, prompt_of(messages));
  }
  messages.resize(messages.size() - 10);
  messages.push_back("another way");
  EXPECT_TRUE(index_.find(prompt_of(messages)));
  EXPECT_FALSE(index_.find(prompt_of({"task", "another way"})));
}

TEST_F(PromptIndexTest, ForgetsTheLeastRecentlyRecorded) {
  for (std::uint64_t key = 0; key < 100; ++key) {
    index_.record(ConversationKey(key), prompt_of({"task" + std::to_string(key)}));
  }
  EXPECT_EQ(index_.size(), 8u);
  EXPECT_TRUE(index_.find(prompt_of({"task99"})));
  EXPECT_FALSE(index_.find(prompt_of({"task91"})));
}

TEST_F(PromptIndexTest, KeepsWhatReplicasHold) {
  index_.keep(one, 5, Kept{ReplicaId(0), 0, 5});
  EXPECT_FALSE(index_.context(one));
  index_.record(one, prompt_of({"a"}));
  for (std::uint32_t id = 0; id < 6; ++id) index_.keep(one, id, Kept{ReplicaId(id), 0, id});
  index_.keep(one, 70, Kept{ReplicaId(5), 1, 70});
  ASSERT_EQ(index_.kept(one).size(), 4u);
  EXPECT_EQ(index_.kept(one).back().tokens, 70);
  EXPECT_EQ(index_.context(one), 70);
}

}  // namespace
}  // namespace lmw::routing
