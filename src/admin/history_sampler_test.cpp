#include "admin/history_sampler.hpp"

#include <gtest/gtest.h>

namespace lmw::admin {
namespace {

using namespace std::chrono_literals;

constexpr Instant start{1h};

// A replica of 10,000 KV tokens, at which conversations wait for room.
class HistorySamplerTest : public testing::Test {
 protected:
  HistorySamplerTest() {
    auto& replicas = router().replicas();
    const auto endpoint = replicas.endpoint("http://127.0.0.1:1");
    replicas.set_ranks(endpoint, {"0"});
    replicas[endpoint].up = true;
    replicas[replicas[endpoint].replicas.front()].kv_capacity_tokens = 10'000;
  }

  routing::Router& router() { return directory_.pools().front()->router; }
  routing::Ticket turn(std::uint64_t conversation, Instant now) {
    const routing::TurnFacts facts{
        .key = routing::TurnKey{routing::ConversationKey(conversation), routing::GroupKey(conversation), {}},
        .source = routing::KeySource::codex,
        .bytes = 32'000};
    return router().route(facts, now).value();
  }

  net::asio::io_context context_;
  config::Config config_{.models = {{.name = "m", .admission = "on"}}};
  EngineClock clock_;
  gateway::Directory directory_{context_, config_, clock_};
  store::History history_{""};
  PoolSamples samples_{directory_, history_};
};

TEST_F(HistorySamplerTest, CountsTurnsInFlightAndHeldByTheirTime) {
  samples_.look(1000, start);
  const auto runs = turn(1, start);
  {
    auto waits = turn(2, start);
    ASSERT_TRUE(waits.is_held());
    samples_.look(1004, start + 4s);
  }
  samples_.look(1010, start + 10s);
  const auto seen = history_.since("m", 0, 0);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].seconds, 10);
  EXPECT_EQ(seen[0].in_flight_seconds, 10);
  EXPECT_EQ(seen[0].in_flight_most, 1);
  EXPECT_EQ(seen[0].held_seconds, 4);
  EXPECT_EQ(seen[0].held_most, 1);
}

}  // namespace
}  // namespace lmw::admin
