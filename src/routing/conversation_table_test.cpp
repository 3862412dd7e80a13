#include "routing/conversation_table.hpp"

#include <gtest/gtest.h>

namespace lmw::routing {
namespace {

using namespace std::chrono_literals;

constexpr Instant start{};
constexpr ReplicaId r0{0}, r1{1};

Conversation conversation(std::uint64_t key, ReplicaId home) {
  return {.key = {ConversationKey(key), GroupKey(key), {}}, .home = home};
}

TEST(ConversationTable, CountsConversationsOfEachHome) {
  ConversationTable table({});
  table.insert(conversation(1, r0), start);
  table.insert(conversation(2, r1), start);
  auto& third = table.insert(conversation(3, r1), start);
  EXPECT_EQ(table.homed(r0), 1);
  EXPECT_EQ(table.homed(r1), 2);
  table.move_home(third, r0);
  EXPECT_EQ(table.homed(r0), 2);
  EXPECT_EQ(table.recent(r0), 2);
  EXPECT_EQ(table.recent(r1), 1);
}

TEST(ConversationTable, OneIsRecentForFiveMinutesAfterItsLastTurn) {
  ConversationTable table({});
  auto& one = table.insert(conversation(1, r0), start);
  table.advance(start + 5min - 1ns);
  EXPECT_EQ(table.recent(r0), 1);
  table.advance(start + 5min);
  EXPECT_EQ(table.recent(r0), 0);
  EXPECT_EQ(table.homed(r0), 1);
  table.touch(one, start + 10min);
  EXPECT_EQ(table.recent(r0), 1);
}

TEST(ConversationTable, TheLeastRecentlyUsedLeavesAFullTable) {
  ConversationTable table({.conversations = 2});
  auto& one = table.insert(conversation(1, r0), start);
  table.insert(conversation(2, r0), start + 1s);
  table.touch(one, start + 2s);
  table.insert(conversation(3, r0), start + 3s);
  EXPECT_TRUE(table.find(ConversationKey(1)));
  EXPECT_FALSE(table.find(ConversationKey(2)));
  EXPECT_EQ(table.size(), 2U);
  EXPECT_EQ(table.homed(r0), 2);
}

TEST(ConversationTable, OneThatIsIdleTooLongLeaves) {
  ConversationTable table({.conversations = 10, .idle = 24h});
  table.insert(conversation(1, r0), start);
  table.advance(start + 24h - 1ns);
  EXPECT_EQ(table.size(), 1U);
  table.advance(start + 24h);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.homed(r0), 0);
}

TEST(ConversationTable, ForgetsAllOfAHomeAndNoOthers) {
  ConversationTable table({});
  table.insert(conversation(1, r0), start);
  table.insert(conversation(2, r1), start + 6min);
  table.insert(conversation(3, r0), start + 6min);
  table.forget_home(r0);
  EXPECT_EQ(table.size(), 1U);
  EXPECT_TRUE(table.find(ConversationKey(2)));
  EXPECT_EQ(table.homed(r0), 0);
  EXPECT_EQ(table.recent(r0), 0);
  EXPECT_EQ(table.recent(r1), 1);
}

}  // namespace
}  // namespace lmw::routing
