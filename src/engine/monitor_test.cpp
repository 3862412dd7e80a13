#include "engine/monitor.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/fake_engine.hpp"

namespace lmw::engine {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

// A monitor with short intervals and an engine on one io_context, driven until something holds.
class MonitorTest : public testing::Test {
 protected:
  MonitorTest() { watch(engine_.access(), often_); }

  void watch(const Access& access, const MonitorOptions& options) {
    MonitorEvents events;
    events.up = [this](const Facts& facts) { log_.push_back(fmt::format("up {}", facts.ranks.size())); };
    events.down = [this](const std::string&) { log_.push_back("down"); };
    events.new_run = [this] { log_.push_back("new run"); };
    events.reading = [this](std::size_t rank, const RankMetrics& metrics, Instant) {
      readings_.emplace_back(rank, metrics.label);
    };
    monitor_ = std::make_unique<Monitor>(context_, access, options, clock_, std::move(events));
  }
  // Bounded by handlers and by a watchdog, so that a condition that never holds fails the test.
  template <class Condition>
  [[nodiscard]] bool run_until(Condition condition) {
    for (int i = 0; i < 200'000; ++i) {
      if (condition()) return true;
      if (context_.run_one_for(20s) == 0) return condition();
    }
    return false;
  }
  [[nodiscard]] bool run_until_readings(std::size_t more) {
    return run_until([this, enough = readings_.size() + more] { return readings_.size() >= enough; });
  }
  // Lets the monitor ask for `path` a few times more.
  [[nodiscard]] bool run_rounds(std::string_view path, std::size_t rounds = 5) {
    return run_until(
        [=, this, enough = engine_.served(path) + rounds] { return engine_.served(path) >= enough; });
  }
  [[nodiscard]] bool find_it() {
    monitor_->start();
    return run_until_readings(2);
  }
  bool check() {
    std::optional<bool> healthy;
    net::asio::co_spawn(context_, monitor_->check(),
                        [&](std::exception_ptr, bool result) { healthy = result; });
    EXPECT_TRUE(run_until([&] { return healthy.has_value(); }));
    return healthy.value_or(false);
  }
  // With /metrics as it is now the engine stays up, and no reading comes.
  void expect_up_without_readings(std::string_view what) {
    // Those of an answer that is on its way still count.
    ASSERT_TRUE(run_rounds("/metrics")) << what;
    const auto before = readings_.size();
    ASSERT_TRUE(run_rounds("/metrics")) << what;
    EXPECT_EQ(readings_.size(), before) << what;
    EXPECT_TRUE(monitor_->is_up()) << what;
    EXPECT_THAT(log_, ElementsAre("up 2")) << what;
  }

  const MonitorOptions often_{.scrape_interval = 1s, .retry = 1ms, .health_timeout = 5s};
  net::asio::io_context context_;
  FakeEngine engine_{context_};
  EngineClock clock_{500};  // a scrape every 2 ms
  std::vector<std::string> log_;
  std::vector<std::pair<std::size_t, std::string>> readings_;
  std::unique_ptr<Monitor> monitor_;
};

TEST_F(MonitorTest, FindsAnEngineAndReadsEachRank) {
  ASSERT_TRUE(find_it());
  EXPECT_TRUE(monitor_->is_up());
  EXPECT_EQ(monitor_->last_error(), "");
  EXPECT_EQ(monitor_->facts()->ranks.size(), 2U);
  EXPECT_THAT(log_, ElementsAre("up 2"));
  EXPECT_EQ(readings_[0], std::pair(std::size_t{0}, std::string("0")));
  EXPECT_EQ(readings_[1], std::pair(std::size_t{1}, std::string("1")));
}

TEST_F(MonitorTest, TellsWhenMetricsWereLastRead) {
  ASSERT_TRUE(find_it());
  ASSERT_TRUE(run_until([this, first = monitor_->scraped()] { return monitor_->scraped() > first; }));
  engine_.answers["/metrics"].status = 500;
  ASSERT_TRUE(run_rounds("/metrics"));
  const auto last = *monitor_->scraped();
  ASSERT_TRUE(run_rounds("/metrics"));
  EXPECT_EQ(*monitor_->scraped(), last);
}

TEST_F(MonitorTest, FindsAnEngineThatAppearsLater) {
  engine_.go_away();
  monitor_->start();
  ASSERT_TRUE(run_until([this] { return !monitor_->last_error().empty(); }));
  EXPECT_FALSE(monitor_->is_up());
  EXPECT_FALSE(monitor_->facts());
  engine_.come_back();
  ASSERT_TRUE(run_until_readings(1));
  EXPECT_THAT(log_, ElementsAre("up 2"));
}

TEST_F(MonitorTest, ReadsWithTheLabelsOfAHybridNodeCountedFromZero) {
  engine_.answers["/metrics"].body = fake_metrics({{"3"}, {"2"}});
  ASSERT_TRUE(find_it());
  EXPECT_EQ(readings_[0], std::pair(std::size_t{0}, std::string("2")));
  EXPECT_EQ(readings_[1], std::pair(std::size_t{1}, std::string("3")));
}

TEST_F(MonitorTest, BadMetricsOnlyStopTheReadings) {
  ASSERT_TRUE(find_it());
  auto& metrics = engine_.answers["/metrics"];
  const auto good = metrics;
  const std::vector<std::pair<std::string, FakeEngine::Answer>> bad{
      {"an error", {.status = 500, .body = good.body}},
      {"not a number", {.body = fake_metrics({{"0", "NaN"}, {"1", "NaN"}})}},
      {"a broken line", {.body = "vllm:num_requests_running{engine=\"0 3\n"}},
      {"other names", {.body = "up 1\n"}},
      {"nothing", {.body = ""}}};
  for (const auto& [what, answer] : bad) {
    metrics = answer;
    expect_up_without_readings(what);
    metrics = good;
    ASSERT_TRUE(run_until_readings(2)) << what;
    EXPECT_EQ(monitor_->last_error(), "") << what;
  }
}

TEST_F(MonitorTest, MetricsLargerThanTheLimitLeaveTheEngineUp) {
  ASSERT_TRUE(find_it());
  engine_.answers["/metrics"].body.assign(20 << 20, '#');
  ASSERT_TRUE(run_rounds("/health", 2));
  EXPECT_TRUE(monitor_->is_up());
  EXPECT_THAT(monitor_->last_error(), HasSubstr("larger than"));
  EXPECT_THAT(log_, ElementsAre("up 2"));
}

TEST_F(MonitorTest, MetricsThatHangLeaveTheEngineUpWhileItsHealthIsGood) {
  auto access = engine_.access();
  access.timeout = 100ms;
  watch(access, often_);
  ASSERT_TRUE(find_it());
  engine_.answers["/metrics"].hang = true;
  ASSERT_TRUE(run_rounds("/health", 2));
  EXPECT_TRUE(monitor_->is_up());
  EXPECT_THAT(monitor_->last_error(), HasSubstr("in time"));
}

TEST_F(MonitorTest, ARankThatIsMissingOnThePageGetsNoReading) {
  ASSERT_TRUE(find_it());
  engine_.answers["/metrics"].body = fake_metrics({{"1"}});
  ASSERT_TRUE(run_rounds("/metrics"));
  readings_.clear();
  ASSERT_TRUE(run_until_readings(3));
  for (const auto& [rank, label] : readings_) EXPECT_EQ(rank, 1U);
  EXPECT_THAT(log_, ElementsAre("up 2"));
}

TEST_F(MonitorTest, IsDownWhenThePortRefusesAndStartsANewRunWhenItIsBack) {
  ASSERT_TRUE(find_it());
  engine_.go_away();
  ASSERT_TRUE(run_until([this] { return !monitor_->is_up(); }));
  EXPECT_THAT(monitor_->last_error(), HasSubstr("can't be connected to"));
  engine_.come_back();
  ASSERT_TRUE(run_until_readings(1));
  EXPECT_THAT(log_, ElementsAre("up 2", "down", "new run", "up 2"));
}

TEST_F(MonitorTest, IsDownWhenACheckFindsItsHealthBadAndThatAloneIsNoNewRun) {
  ASSERT_TRUE(find_it());
  EXPECT_TRUE(check());
  EXPECT_TRUE(monitor_->is_up());
  engine_.answers["/health"].status = 503;  // while it goes on listing its models
  EXPECT_FALSE(check());
  ASSERT_TRUE(run_rounds("/health"));
  EXPECT_FALSE(monitor_->is_up());
  EXPECT_THAT(log_, ElementsAre("up 2", "down"));
  engine_.answers["/health"].status = 404;  // no such route
  ASSERT_TRUE(run_until([this] { return monitor_->is_up(); }));
  EXPECT_TRUE(check());
  EXPECT_THAT(log_, ElementsAre("up 2", "down", "up 2"));
}

TEST_F(MonitorTest, IsDownWhenItsHealthGoesBadWhileItsMetricsGoOn) {
  ASSERT_TRUE(find_it());
  engine_.answers["/health"].status = 503;
  ASSERT_TRUE(run_until([this] { return !monitor_->is_up(); }));
  EXPECT_THAT(monitor_->last_error(), HasSubstr("503"));
}

TEST_F(MonitorTest, IsDownFromTheTurnThatWasRefusedAndSaysSoLater) {
  ASSERT_TRUE(find_it());
  monitor_->report_refused();
  monitor_->report_refused();
  EXPECT_FALSE(monitor_->is_up());
  EXPECT_THAT(log_, ElementsAre("up 2"));
  ASSERT_TRUE(run_until([this] { return monitor_->is_up(); }));
  EXPECT_THAT(log_, ElementsAre("up 2", "down", "new run", "up 2"));
}

TEST_F(MonitorTest, LooksAgainAtOnceWhenATurnOrACheckKnowsBetter) {
  const auto rarely = std::chrono::hours(1000);
  watch(engine_.access(), {.scrape_interval = rarely, .retry = rarely, .health_timeout = 5s});
  ASSERT_TRUE(find_it());
  engine_.answers["/health"].status = 503;
  monitor_->report_refused();
  ASSERT_TRUE(run_until([this] { return monitor_->last_error().ends_with("503"); }));
  context_.poll();
  engine_.answers["/health"].status = 200;
  EXPECT_TRUE(check());
  ASSERT_TRUE(run_until_readings(2));
  EXPECT_THAT(log_, ElementsAre("up 2", "down", "new run", "up 2"));
}

TEST_F(MonitorTest, CountersThatGoBackAreANewRunOfPerhapsOtherRanks) {
  ASSERT_TRUE(find_it());
  engine_.answers["/metrics"].body = fake_metrics({{"0"}, {"1", "0.5", 1001, 501}});
  ASSERT_TRUE(run_rounds("/metrics"));
  EXPECT_THAT(log_, ElementsAre("up 2"));
  engine_.answers["/metrics"].body = fake_metrics({{"0"}, {"1", "0.5", 7, 0}, {"2"}});
  ASSERT_TRUE(run_until([this] { return log_.size() >= 3; }));
  ASSERT_TRUE(run_rounds("/metrics"));
  EXPECT_THAT(log_, ElementsAre("up 2", "new run", "up 3"));
  EXPECT_TRUE(monitor_->is_up());
  EXPECT_THAT(readings_, testing::Contains(std::pair(std::size_t{2}, std::string("2"))));
}

TEST_F(MonitorTest, AnotherProcessStartTimeIsANewRun) {
  engine_.answers["/metrics"].body = fake_metrics({{"0"}, {"1"}}, "1.7e9");
  ASSERT_TRUE(find_it());
  ASSERT_TRUE(run_rounds("/metrics"));
  engine_.answers["/metrics"].body = fake_metrics({{"0", "0.5", 5000}, {"1"}}, "1.8e9");
  ASSERT_TRUE(run_until([this] { return log_.size() >= 3; }));
  ASSERT_TRUE(run_rounds("/metrics"));
  EXPECT_THAT(log_, ElementsAre("up 2", "new run", "up 2"));
}

TEST_F(MonitorTest, LearnsTheRanksOnceMetricsComeAfterTheEngineWasFound) {
  const auto good = std::exchange(engine_.answers["/metrics"], {.status = 500});
  monitor_->start();
  ASSERT_TRUE(run_until([this] { return monitor_->is_up(); }));
  EXPECT_THAT(log_, ElementsAre("up 1"));
  engine_.answers["/metrics"] = good;
  ASSERT_TRUE(run_until_readings(2));
  EXPECT_THAT(log_, ElementsAre("up 1", "up 2"));
}

TEST_F(MonitorTest, StopEndsAnExchangeInFlightAndLeavesNoWork) {
  auto access = engine_.access();
  access.timeout = 24h;
  watch(access, often_);
  ASSERT_TRUE(find_it());
  engine_.answers["/metrics"].hang = true;
  ASSERT_TRUE(run_until([this] { return engine_.hanging == 1; }));
  monitor_->stop();
  monitor_->stop();
  ASSERT_TRUE(run_until([this] { return engine_.hanging == 0; }));
  engine_.go_away();
  context_.run_for(20s);
  EXPECT_TRUE(context_.stopped());
  EXPECT_THAT(log_, ElementsAre("up 2"));
}

TEST_F(MonitorTest, MayBeDestroyedWhileItWaitsAndFromItsOwnEvents) {
  ASSERT_TRUE(find_it());
  monitor_.reset();
  engine_.go_away();
  context_.run_for(20s);
  EXPECT_TRUE(context_.stopped());

  context_.restart();
  engine_.come_back();
  MonitorEvents events;
  events.up = [this](const Facts&) { monitor_.reset(); };
  monitor_ =
      std::make_unique<Monitor>(context_, engine_.access(), MonitorOptions{}, clock_, std::move(events));
  monitor_->start();
  ASSERT_TRUE(run_until([this] { return !monitor_; }));
  engine_.go_away();
  context_.run_for(20s);
  EXPECT_TRUE(context_.stopped());
}

TEST_F(MonitorTest, MayBeLeftRunningWhenItsIoContextIsDestroyed) {
  ASSERT_TRUE(find_it());
  engine_.answers["/metrics"].hang = true;
  ASSERT_TRUE(run_until([this] { return engine_.hanging == 1; }));
  // Destroyed by the fixture: the sanitizers judge.
}

}  // namespace
}  // namespace lmw::engine
