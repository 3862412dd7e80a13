#include "admin/live.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lmw::admin {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr Instant start{};

// The data of each event of that name.
std::vector<json> events(const std::string& text, std::string_view name) {
  std::vector<json> found;
  const auto head = "event: " + std::string(name) + "\ndata: ";
  for (auto at = text.find(head); at != std::string::npos; at = text.find(head, at + 1)) {
    const auto begin = at + head.size();
    found.push_back(json::parse(text.substr(begin, text.find("\n\n", begin) - begin)));
  }
  return found;
}

class LiveTest : public testing::Test {
 protected:
  LiveTest() {
    auto& replicas = router().replicas();
    endpoint_ = replicas.endpoint("http://127.0.0.1:1");
    replicas.set_ranks(endpoint_, {"0", "1"});
    replicas[endpoint_].up = true;
  }

  routing::Router& router() { return directory_.pools().front()->router; }
  void turn(std::uint64_t conversation, Instant now) {
    const routing::TurnFacts facts{
        .key = routing::TurnKey{routing::ConversationKey(conversation), routing::GroupKey(1), {}},
        .source = routing::KeySource::codex};
    router().route(facts, now)->finish(routing::TurnEnd::answered, {100, 40, 10}, now);
  }

  net::asio::io_context context_;
  config::Config config_{.models = {{.name = "m"}}};
  EngineClock clock_;
  gateway::Directory directory_{context_, config_, clock_};
  gateway::InFlight in_flight_;
  routing::EndpointId endpoint_;
  LiveFeed feed_{directory_, in_flight_};
};

TEST_F(LiveTest, BeginsWithAllThereIs) {
  turn(1, start);
  turn(2, start + 1s);
  const auto text = feed_.next(start + 2s);
  const auto state = events(text, "state").at(0);
  EXPECT_EQ(state["models"][0]["name"], "m");
  EXPECT_EQ(state["routing"][0]["totals"]["placed"], 2);
  EXPECT_EQ(state["in_flight"], json::array());
  const auto conversations = events(text, "conversations").at(0);
  EXPECT_EQ(conversations["reset"], true);
  EXPECT_EQ(conversations["conversations"].size(), 2u);
  EXPECT_EQ(events(text, "prompt_breaks").size(), 1u);
}

TEST_F(LiveTest, ThenSendsOnlyConversationsThatHadATurn) {
  turn(1, start);
  turn(2, start);
  feed_.next(start + 1s);
  turn(2, start + 2s);
  const auto changed = events(feed_.next(start + 3s), "conversations").at(0);
  EXPECT_EQ(changed["reset"], false);
  EXPECT_EQ(changed["total"], 2);
  ASSERT_EQ(changed["conversations"].size(), 1u);
  EXPECT_EQ(changed["conversations"][0]["turns"], 2);
  const auto quiet = feed_.next(start + 4s);
  EXPECT_TRUE(events(quiet, "conversations").empty());
  EXPECT_TRUE(events(quiet, "prompt_breaks").empty());
  EXPECT_EQ(events(quiet, "state").size(), 1u);
}

TEST_F(LiveTest, SendsPromptBreaksAnewWhenWhatTheyLostIsAnHourAgo) {
  Fingerprint prompt{.messages = {{.exact = 1, .identity = 1, .pieces = {}}}};
  routing::TurnFacts facts{.key = routing::TurnKey{routing::ConversationKey(1), routing::GroupKey(1), {}},
                           .source = routing::KeySource::codex,
                           .prompt = &prompt,
                           .bytes = 80'000};
  for (const std::uint64_t system : {1, 2}) {
    prompt.system.hash = system;
    router().route(facts, start)->finish(routing::TurnEnd::answered, {20'000, 0, 10}, start + 1s);
  }
  const auto lost = [](const json& event) { return event["prompt_breaks"].at(0)["lost_tokens_last_hour"]; };
  EXPECT_GT(lost(events(feed_.next(start + 2s), "prompt_breaks").at(0)), 0);
  EXPECT_TRUE(events(feed_.next(start + 30min), "prompt_breaks").empty());
  EXPECT_EQ(lost(events(feed_.next(start + 70min), "prompt_breaks").at(0)), 0);
  EXPECT_TRUE(events(feed_.next(start + 80min), "prompt_breaks").empty());
}

TEST_F(LiveTest, SendsAllAnewWhenSomeHaveBeenForgotten) {
  for (std::uint64_t i = 1; i <= 3; ++i) turn(i, start);
  feed_.next(start + 1s);
  router().new_run(endpoint_);
  turn(9, start + 2s);
  const auto anew = events(feed_.next(start + 3s), "conversations").at(0);
  EXPECT_EQ(anew["reset"], true);
  EXPECT_EQ(anew["conversations"].size(), 1u);
}

TEST_F(LiveTest, SendsNoMoreConversationsThanThePageShows) {
  Instant now = start;
  for (std::uint64_t i = 0; i < LiveFeed::max_conversations + 10; ++i) turn(i + 1, now += 1ms);
  const auto first = events(feed_.next(now + 1ms), "conversations").at(0);
  EXPECT_EQ(first["conversations"].size(), LiveFeed::max_conversations);
  EXPECT_EQ(first["total"], LiveFeed::max_conversations + 10);
}

}  // namespace
}  // namespace lmw::admin
