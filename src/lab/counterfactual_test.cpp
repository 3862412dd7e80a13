// How near the router's estimate of what the engine's own balancer would have found cached comes to what it
// does find, on the same sessions.
#include <gtest/gtest.h>

#include "lab/affinity.hpp"
#include "lab/experiment.hpp"

namespace lmw::lab {
namespace {

routing::SavingCounters seen;  // by the last router, when it ended

class Watched : public Affinity {
 public:
  explicit Watched(const EngineFacts& engine) : Affinity(engine, {}) {}
  ~Watched() override { seen = router().counters().saving; }
};

constexpr PolicyKind watched{
    "watched", "affinity, whose estimate is looked at",
    [](const EngineFacts& engine) -> std::unique_ptr<Policy> { return std::make_unique<Watched>(engine); }};

struct Case {
  int sessions;
  double off;  // percent of what affinity finds cached
};

class Counterfactual : public testing::TestWithParam<Case> {};

TEST_P(Counterfactual, ComesNearToWhatTheEngineFinds) {
  Experiment experiment{.workload = *find_workload("published")};
  experiment.workload.sessions = {GetParam().sessions};
  experiment.workload.step = std::chrono::hours(1);
  run_arm(experiment, watched, 1);
  const double estimate = 100 * static_cast<double>(seen.engine_cached) / static_cast<double>(seen.cached);
  const auto engine = run_arm(experiment, *find_policy("engine"), 1).steps.front();
  const auto affinity = run_arm(experiment, *find_policy("affinity"), 1).steps.front();
  EXPECT_NEAR(estimate, 100 * *engine.cached_pct / *affinity.cached_pct, GetParam().off);
}

// Where conversations outgrow the caches the estimate is kind to the engine.
INSTANTIATE_TEST_SUITE_P(Published, Counterfactual,
                         testing::Values(Case{4, 10}, Case{8, 10}, Case{16, 10}, Case{24, 35}, Case{32, 10}));

}  // namespace
}  // namespace lmw::lab
