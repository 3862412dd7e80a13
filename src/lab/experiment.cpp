#include "lab/experiment.hpp"

#include <algorithm>

#include "lab/box.hpp"
#include "report/engine_sums.hpp"

namespace lmw::lab {

namespace {

constexpr Duration idle_check = std::chrono::seconds(1);

std::unique_ptr<workload::SessionSource> source_of(const Experiment& experiment, std::uint64_t seed) {
  if (experiment.recorded) return workload::recorded_sessions(*experiment.recorded);
  return workload::synthetic_sessions(experiment.workload.shape, experiment.workload.profile.block_size,
                                      seed);
}

// A box and its sessions.
struct Run {
  Run(const Experiment& experiment, const PolicyKind& policy, std::uint64_t seed)
      : workload(experiment.workload),
        source(source_of(experiment, seed)),
        box({.policy = policy,
             .profile = workload.profile,
             .replicas = workload.replicas,
             .api_servers = workload.replicas,  // vLLM's default
             .seed = seed},
            *source) {}

  void begin(int sessions) { box.clients().begin(workload.load(sessions), box.now()); }

  // Shorter when all sessions have ended.
  report::Window measure(Duration span) {
    report::Window window{box.now(), box.now()};
    while (window.to < window.from + span && !box.is_idle()) {
      window.to = std::min(window.to + idle_check, window.from + span);
      box.run_until(window.to);
    }
    return window;
  }

  const Workload& workload;
  std::unique_ptr<workload::SessionSource> source;
  Box box;
};

report::Step step_of(const Box& box, int sessions, report::Window window, const report::EngineSums& before) {
  auto step = report::summarize(box.clients().turns(), window);
  step.sessions = sessions;
  report::add_engine(step, before, box.sums());
  return step;
}

}  // namespace

ArmRun run_arm(const Experiment& experiment, const PolicyKind& policy, std::uint64_t seed) {
  const auto& workload = experiment.workload;
  ArmRun result;
  std::optional<Run> run;
  for (std::size_t i = 0; i < workload.sessions.size(); ++i) {
    const int sessions = workload.sessions[i];
    const bool fresh = !run || workload.fresh;
    if (fresh) {
      if (run) result.engine_seconds += seconds(run->box.now().time_since_epoch());
      run.emplace(experiment, policy, seed);
    }
    run->begin(sessions);
    if (fresh) run->box.run_until(run->box.now() + workload.warm);
    const auto before = run->box.sums();
    const auto window = run->measure(workload.step);
    result.steps.push_back(step_of(run->box, sessions, window, before));
    if (i == experiment.timeline_step) {
      result.timeline =
          report::timeline_of(std::string(policy.name), sessions, window, run->box.clients().turns());
    }
  }
  if (run) result.engine_seconds += seconds(run->box.now().time_since_epoch());
  return result;
}

report::Report run(const Experiment& experiment, const std::function<void(const report::Report&)>& finished) {
  report::Report report{.title = "Lab: " + experiment.workload.name};
  for (const auto* policy : experiment.arms) {
    std::vector<std::vector<report::Step>> runs;
    for (int i = 0; i < experiment.repeats; ++i) {
      auto once = run_arm(experiment, *policy, experiment.seed + static_cast<std::uint64_t>(i));
      if (i == 0 && once.timeline) report.timelines.push_back(std::move(*once.timeline));
      runs.push_back(std::move(once.steps));
    }
    report.arms.push_back(report::combine(std::string(policy->name), std::string(policy->what), runs));
    finished(report);
  }
  return report;
}

}  // namespace lmw::lab
