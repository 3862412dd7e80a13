#include "lab/experiment.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "report/json.hpp"

namespace lmw::lab {
namespace {

using namespace std::chrono_literals;

Experiment published(std::vector<std::string_view> arms) {
  Experiment made{.workload = *find_workload("published")};
  for (const auto name : arms) made.arms.push_back(find_policy(name));
  return made;
}

report::Report run_all(const Experiment& experiment) {
  return run(experiment, [](const report::Report&) {});
}

TEST(Experiment, ShowsThePublishedStory) {
  auto experiment = published({"engine-0.26", "affinity"});
  experiment.repeats = 4;
  const auto report = run_all(experiment);
  ASSERT_EQ(report.arms.size(), 2U);
  const auto& off = report.arms[0].steps;
  const auto& on = report.arms[1].steps;
  ASSERT_EQ(off.size(), 5U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_GT(on[i].hits_pct, *off[i].hits_pct + 25) << off[i].sessions;
    EXPECT_GT(on[i].tokens_per_min, *off[i].tokens_per_min) << off[i].sessions;
    EXPECT_LT(on[i].ttfb_p50_s, *off[i].ttfb_p50_s) << off[i].sessions;
  }
  // Deep in overload the blind balancer's median wins, and loses the tail.
  EXPECT_GT(on[4].ttfb_p50_s, *off[4].ttfb_p50_s);
  EXPECT_LT(on[4].ttfb_p95_s, *off[4].ttfb_p95_s);
  EXPECT_EQ(on[0].stayed_pct, 100);
  EXPECT_EQ(on[0].failures, 0);
  EXPECT_NEAR(on[1].hits_pct.value(), on[1].cached_pct.value(), 4);
}

TEST(Experiment, PlacesThatAreToldAWrongCapacityOrNoneServeEverybody) {
  auto affinity = published({"affinity"});
  affinity.workload.sessions = {24};
  affinity.repeats = 2;
  const double least = 0.85 * *run_all(affinity).arms[0].steps[0].tokens_per_min;
  for (const double told : {0.7, 1.3, 0.0}) {
    auto places = published({"places"});
    places.workload.sessions = {24};
    places.workload.kv_told = told;
    places.repeats = 2;
    const auto step = run_all(places).arms[0].steps[0];
    EXPECT_GT(step.tokens_per_min, least) << told;
    EXPECT_EQ(step.failures, 0) << told;
    EXPECT_LT(step.worst_wait_s, 300) << told;
  }
}

TEST(Experiment, TellsHowFarItIs) {
  auto experiment = published({"engine", "affinity"});
  experiment.repeats = 2;
  std::vector<double> shares;
  const auto report = run(
      experiment, [](const report::Report&) {},
      [&](double share) {
        shares.push_back(share);
        return true;
      });
  EXPECT_EQ(report.arms.size(), 2U);
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_EQ(shares.front(), 0);
  EXPECT_GT(shares.back(), 0.99);
  EXPECT_LT(shares.back(), 1);
}

TEST(Experiment, StopsWhenItsWatchSaysSo) {
  auto experiment = published({"engine", "affinity"});
  double last = 0;
  const auto report =
      run(experiment, [](const report::Report&) {}, [&](double share) { return (last = share) < 0.6; });
  EXPECT_EQ(report.arms.size(), 1U) << "the second was not finished";
  EXPECT_LT(last, 0.61);
}

TEST(Experiment, IsTheSameForASeedAndAnotherForAnother) {
  auto experiment = published({"affinity"});
  experiment.workload.sessions = {8};
  const auto once = report::to_json(run_all(experiment));
  EXPECT_EQ(once, report::to_json(run_all(experiment)));
  experiment.seed = 2;
  EXPECT_NE(once, report::to_json(run_all(experiment)));
}

TEST(Experiment, TellsTheReportSoFarAfterEachArm) {
  auto experiment = published({"engine", "affinity"});
  experiment.workload.sessions = {4};
  experiment.repeats = 2;
  std::vector<std::size_t> arms;
  const auto report =
      run(experiment, [&](const report::Report& so_far) { arms.push_back(so_far.arms.size()); });
  EXPECT_EQ(arms, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(report.arms[1].spread.size(), 1U);
  ASSERT_EQ(report.timelines.size(), 2U);
  EXPECT_FALSE(report.timelines[0].turns.empty());
}

TEST(Experiment, EveryWorkloadWithoutATraceRuns) {
  for (const auto& workload : workloads()) {
    if (workload.needs_trace) continue;
    Experiment experiment{.workload = workload, .arms = {find_policy("affinity")}};
    experiment.workload.sessions.resize(1);
    experiment.workload.step = 120s;
    experiment.workload.warm = 60s;
    const auto report = run_all(experiment);
    EXPECT_GT(report.arms[0].steps[0].turns, 5) << workload.name;
    EXPECT_EQ(report.arms[0].steps[0].failures, 0) << workload.name;
  }
}

TEST(Experiment, AStepEndsWhenAllRecordedSessionsHave) {
  const std::vector<workload::Session> recorded{
      {.id = 1, .agents = {{.turns = {{.prompt_tokens = 100, .output_tokens = 10}}}}}};
  auto experiment = published({"affinity"});
  experiment.workload.sessions = {2};
  experiment.workload.step = 24h;
  experiment.recorded = &recorded;
  const auto once = run_arm(experiment, *find_policy("affinity"), 1);
  EXPECT_EQ(once.steps[0].turns, 1);
  EXPECT_LT(once.engine_seconds, 5);
}

}  // namespace
}  // namespace lmw::lab
