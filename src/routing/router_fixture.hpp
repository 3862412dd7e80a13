// For tests: a router before one endpoint.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "routing/router.hpp"

namespace lmw::routing {

inline constexpr Instant start{};

inline TurnFacts turn_of(std::uint64_t conversation, std::optional<std::uint64_t> parent = {}) {
  TurnKey key{ConversationKey(conversation), GroupKey(1), {}};
  if (parent) key.parent = ConversationKey(*parent);
  return {.key = key, .source = KeySource::claude_code};
}

// The fingerprint of a prompt of these messages, each of which identifies.
inline Fingerprint prompt_of(const std::vector<std::string>& messages, std::uint64_t system = 1,
                             std::uint64_t tools = 1) {
  Fingerprint prompt{.system = {.hash = system, .pieces = {}}, .tools = {.hash = tools, .pieces = {}}};
  std::uint64_t chain = 0;
  for (const auto& message : messages) {
    chain = mix64(chain + std::hash<std::string>()(message));
    prompt.messages.push_back({.exact = chain, .identity = chain, .pieces = {}});
  }
  return prompt;
}

// A turn of a client that sends no ids.
inline TurnFacts turn_without_id(const Fingerprint& prompt) {
  return {.has_tools = true, .prompt = &prompt, .bytes = 100'000};
}

// One endpoint of `ranks` ranks, up.
class RouterTest : public testing::Test {
 protected:
  explicit RouterTest(int ranks = 4) : endpoint_(router_.replicas().endpoint("http://127.0.0.1:8000")) {
    std::vector<std::string> labels;
    for (int i = 0; i < ranks; ++i) labels.push_back(std::to_string(i));
    router_.replicas().set_ranks(endpoint_, labels);
    router_.replicas()[endpoint_].up = true;
  }

  // Sends a turn and ends it at once; where it went.
  Decision pass(const TurnFacts& turn, Instant now = start, const TokenCounts& tokens = {100, 40, 10}) {
    auto ticket = router_.route(turn, now).value();
    const auto decision = ticket.decision();
    ticket.finish(TurnEnd::answered, tokens, now);
    return decision;
  }
  std::uint64_t count(Outcome outcome) const {
    return router_.counters().turns[static_cast<std::size_t>(outcome)];
  }
  Replica& replica(std::uint32_t id) { return router_.replicas()[ReplicaId(id)]; }
  void expect_all_gauges_zero() {
    EXPECT_EQ(router_.in_flight(), 0);
    for (const auto& each : router_.replicas().replicas()) EXPECT_EQ(each.in_flight, 0);
    for (const auto& each : router_.replicas().endpoints()) EXPECT_EQ(each.unrouted_in_flight, 0);
    router_.table().for_each([](const Conversation& c) {
      EXPECT_EQ(c.in_flight, 0);
      return true;
    });
  }

  Router router_{{}, {}};
  EndpointId endpoint_;
};

}  // namespace lmw::routing
