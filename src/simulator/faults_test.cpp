#include "simulator/faults.hpp"

#include <gtest/gtest.h>

namespace lmw::simulator {
namespace {

TEST(FaultOrder, ChangesOnlyWhatItNames) {
  Faults now;
  now.hung = {1};
  const auto order =
      read_fault_order(R"({"metrics":"slow","metrics_delay_s":2.5,"turns":"cut","turns_left":1})", now, 2);
  ASSERT_TRUE(order) << order.error().message;
  EXPECT_EQ(order->faults.metrics, MetricsFault::slow);
  EXPECT_EQ(order->faults.metrics_delay, std::chrono::milliseconds(2500));
  EXPECT_EQ(order->faults.turns, TurnFault::cut);
  EXPECT_EQ(order->faults.hung, std::set<int>{1});
  EXPECT_FALSE(order->death);
}

TEST(FaultOrder, MayKillForAWhileOrForGood) {
  EXPECT_FALSE(read_fault_order(R"({"die":{}})", {}, 2)->death->down);
  EXPECT_EQ(read_fault_order(R"({"die":{"down_s":3}})", {}, 2)->death->down, std::chrono::seconds(3));
}

TEST(FaultOrder, RefusesWhatItDoesNotKnow) {
  for (const auto* bad : {"", "[]", R"({"metric":"slow"})", R"({"metrics":"fast"})", R"({"hung":[2]})",
                          R"({"hung":1})", R"({"missing_rank":-1})", R"({"turns_left":"x"})",
                          R"({"die":{"for":1}})", R"({"metrics_delay_s":-1})"}) {
    EXPECT_FALSE(read_fault_order(bad, {}, 2)) << bad;
  }
}

TEST(FaultOrder, ReadsWhatIsWritten) {
  Faults faults;
  faults.metrics = MetricsFault::missing_rank;
  faults.turns = TurnFault::cut_mid_event;
  faults.turns_left = 4;
  faults.hung = {0, 1};
  const auto text = to_json(faults);
  const auto order = read_fault_order(text, {}, 2);
  ASSERT_TRUE(order) << order.error().message;
  EXPECT_EQ(to_json(order->faults), text);
}

TEST(Faults, HitOnlyAsManyTurnsAsAskedFor) {
  Faults faults;
  faults.turns = TurnFault::busy;
  EXPECT_EQ(faults.take_turn_fault(), TurnFault::busy);
  faults.turns_left = 1;
  EXPECT_EQ(faults.take_turn_fault(), TurnFault::busy);
  EXPECT_EQ(faults.take_turn_fault(), TurnFault::none);
}

}  // namespace
}  // namespace lmw::simulator
