#include <algorithm>
#include <map>
#include <set>

#include "routing/router_fixture.hpp"

namespace lmw::routing {
namespace {

using Messages = std::vector<std::string>;

class RouterContent : public RouterTest {
 protected:
  Decision pass_prompt(const Messages& messages) {
    const auto prompt = prompt_of(messages);
    return pass(turn_without_id(prompt));
  }
  Decision pass_with(TurnFacts turn, const Fingerprint& prompt) {
    turn.prompt = &prompt;
    turn.has_tools = true;
    turn.bytes = 100'000;
    return pass(turn);
  }
};

TEST_F(RouterContent, AConversationWithoutIdsGoesHomeByItsPrompt) {
  std::vector<Messages> conversations;
  std::map<std::size_t, ReplicaId> homes;
  for (std::size_t i = 0; i < 6; ++i) {
    conversations.push_back({"task " + std::to_string(i)});
    const auto decision = pass_prompt(conversations[i]);
    EXPECT_EQ(decision.outcome, Outcome::placed);
    homes[i] = *decision.replica;
  }
  for (int turn = 0; turn < 30; ++turn) {
    for (std::size_t i = 0; i < 6; ++i) {
      conversations[i].insert(conversations[i].end(), {"answer", "result"});
      const auto decision = pass_prompt(conversations[i]);
      EXPECT_EQ(decision.outcome, Outcome::sticky);
      EXPECT_EQ(decision.replica, homes[i]);
    }
  }
  EXPECT_EQ(router_.table().size(), 6u);
  router_.table().for_each([](const Conversation& c) {
    EXPECT_EQ(c.source, KeySource::content);
    return true;
  });
}

TEST_F(RouterContent, ARetryIsATurnOfItsConversation) {
  pass_prompt({"task"});
  EXPECT_EQ(pass_prompt({"task"}).outcome, Outcome::sticky);
}

// As qwen-code does, when the user stops it early.
TEST_F(RouterContent, AQuestionThatWasNotAnsweredMayBeForgotten) {
  const auto task = prompt_of({"task"}), endless = prompt_of({"task", "answer", "endless"});
  const auto home = pass(turn_without_id(task)).replica;
  for (int i = 0; i < 2; ++i)
    router_.route(turn_without_id(endless), start).value().finish(TurnEnd::cancelled, {}, start);
  const auto next = pass_prompt({"task", "answer", "another"});
  EXPECT_EQ(next.outcome, Outcome::sticky);
  EXPECT_EQ(next.replica, home);
  EXPECT_EQ(pass_prompt({"task", "answer", "a third way"}).outcome, Outcome::placed);
}

TEST_F(RouterContent, ConversationsThatShareTheirExamplesAreSpread) {
  for (int i = 0; i < 8; ++i) pass_prompt({"example", "ok", "task " + std::to_string(i)});
  EXPECT_EQ(count(Outcome::placed), 8u);
  for (std::uint32_t id = 0; id < 4; ++id) EXPECT_EQ(router_.table().homed(ReplicaId(id)), 2);
}

TEST_F(RouterContent, APromptWhoseLastMessageLostItsTailGoesOn) {
  auto asked = prompt_of({"example", "ok", "task + reminder"});
  const auto history = prompt_of({"example", "ok", "task", "answer", "more + reminder"});
  asked.tails = {history.messages[2].identity};
  const auto home = pass(turn_without_id(asked)).replica;
  const auto next = pass(turn_without_id(history));
  EXPECT_EQ(next.outcome, Outcome::sticky);
  EXPECT_EQ(next.replica, home);
}

TEST_F(RouterContent, AnotherAgentWithTheSameMessagesIsAConversationOfItsOwn) {
  const auto main = prompt_of({"task"}, 1, 1);
  const auto memory = prompt_of({"task", "answer", "what to keep?"}, 2, 2);
  const auto next = prompt_of({"task", "answer", "more"}, 1, 2);
  const auto home = pass(turn_without_id(main)).replica;
  EXPECT_EQ(pass(turn_without_id(memory)).outcome, Outcome::placed);
  const auto decision = pass(turn_without_id(next));
  EXPECT_EQ(decision.outcome, Outcome::sticky);
  EXPECT_EQ(decision.replica, home);
}

TEST_F(RouterContent, AForkGoesWhereItsPrefixIs) {
  const auto task = prompt_of({"task"});
  const auto fork = prompt_of({"task", "answer", "other way"});
  pass_with(turn_of(1), prompt_of({"else"}));
  const auto home = pass_with(turn_of(2), task).replica;
  for (std::uint64_t key = 3; key < 6; ++key) pass_with(turn_of(key), prompt_of({"x" + std::to_string(key)}));
  const auto forked = pass_with(turn_of(9), fork);
  EXPECT_EQ(forked.outcome, Outcome::placed);
  EXPECT_EQ(forked.replica, home);
}

TEST_F(RouterContent, AForkDoesNotFollowIntoAFullReplica) {
  router_.settings().spill_threshold = 1;
  const auto task = prompt_of({"task"});
  auto turn = turn_of(1);
  turn.prompt = &task;
  auto running = router_.route(turn, start).value();
  EXPECT_NE(pass_with(turn_of(2), prompt_of({"task", "answer"})).replica, running.decision().replica);
}

TEST_F(RouterContent, SessionsThatBeginAlikeAreSpread) {
  const auto prompt = prompt_of({"the same"});
  std::vector<Ticket> tickets;
  for (std::uint64_t key = 1; key <= 16; ++key) {
    auto turn = turn_of(key);
    turn.prompt = &prompt;
    tickets.push_back(router_.route(turn, start).value());
  }
  for (std::uint32_t id = 0; id < 4; ++id) EXPECT_EQ(router_.table().homed(ReplicaId(id)), 4);
}

TEST_F(RouterContent, SubAgentsWithTheSameTaskGoTogether) {
  pass_with(turn_of(1), prompt_of({"main"}));
  std::set<ReplicaId> homes;
  for (std::uint64_t key = 2; key < 5; ++key)
    homes.insert(*pass_with(turn_of(key, 1), prompt_of({"sub"})).replica);
  EXPECT_EQ(homes.size(), 1u);
  for (std::uint64_t key = 5; key < 8; ++key) {
    homes.insert(*pass_with(turn_of(key, 1), prompt_of({"sub" + std::to_string(key)})).replica);
  }
  EXPECT_EQ(homes.size(), 4u);
}

TEST_F(RouterContent, EqualPromptsAtOnceAreConversationsOfTheirOwnAndDoNotPileUp) {
  const auto prompt = prompt_of({"rollout"});
  std::vector<Ticket> tickets;
  for (int i = 0; i < 64; ++i) tickets.push_back(router_.route(turn_without_id(prompt), start).value());
  EXPECT_EQ(router_.table().size(), 64u);
  EXPECT_EQ(tickets[0].decision().replica, tickets[1].decision().replica);
  for (std::uint32_t id = 0; id < 4; ++id) {
    EXPECT_GE(replica(id).in_flight, 12);
    EXPECT_LE(replica(id).in_flight, 20);
  }
}

TEST_F(RouterContent, SmallEqualPromptsAreNotWorthAQueue) {
  const auto prompt = prompt_of({"hi"});
  auto turn = turn_without_id(prompt);
  turn.bytes = 80;
  std::vector<Ticket> tickets;
  for (int i = 0; i < 8; ++i) tickets.push_back(router_.route(turn, start).value());
  for (std::uint32_t id = 0; id < 4; ++id) EXPECT_EQ(replica(id).in_flight, 2);
}

TEST_F(RouterContent, AConversationWhosePrefixIsGoneIsPlacedAnew) {
  const auto home = pass_with(turn_of(1), prompt_of({"task", "a", "b", "c"})).replica;
  replica(home->value()).in_flight = 5;
  const auto compacted = pass_with(turn_of(1), prompt_of({"summary"}));
  EXPECT_EQ(compacted.outcome, Outcome::rehomed);
  EXPECT_NE(compacted.replica, home);
  EXPECT_EQ(router_.table().size(), 1u);
  const auto next = pass_with(turn_of(1), prompt_of({"summary", "a", "b"}));
  EXPECT_EQ(next.outcome, Outcome::sticky);
  EXPECT_EQ(next.replica, compacted.replica);
  replica(home->value()).in_flight = 0;
}

TEST_F(RouterContent, ARequestWithOtherWordsAndNoToolsIsBesideTheConversation) {
  const auto task = prompt_of({"task"});
  const auto page = prompt_of({"what does this page say?"}, 7, 0);
  const auto next = prompt_of({"task", "answer", "more"});
  pass_with(turn_of(1), task);
  auto turn = turn_of(1);
  turn.prompt = &page;
  EXPECT_EQ(pass(turn).outcome, Outcome::side);
  EXPECT_EQ(pass_with(turn_of(1), next).outcome, Outcome::sticky);
}

TEST_F(RouterContent, ATurnWithoutTextBelongsToNoConversation) {
  const Fingerprint nothing;
  EXPECT_EQ(pass(turn_without_id(nothing)).outcome, Outcome::balanced);
}

TEST_F(RouterContent, PromptsOfFormerConversationsAreForgotten) {
  Router small({}, {.prompts = 2});
  const auto endpoint = small.replicas().endpoint("http://127.0.0.1:8000");
  small.replicas().set_ranks(endpoint, {"0", "1"});
  small.replicas()[endpoint].up = true;
  const auto outcome = [&](const Messages& messages) {
    const auto prompt = prompt_of(messages);
    return small.route(turn_without_id(prompt), start)->decision().outcome;
  };
  outcome({"a"});
  outcome({"b"});
  EXPECT_EQ(outcome({"a", "1", "2"}), Outcome::sticky);
  outcome({"c"});
  EXPECT_EQ(outcome({"a", "1", "2", "3", "4"}), Outcome::sticky);
  EXPECT_EQ(outcome({"b", "1", "2"}), Outcome::placed);
}

}  // namespace
}  // namespace lmw::routing
