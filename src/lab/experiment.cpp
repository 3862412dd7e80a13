#include "lab/experiment.hpp"

#include <algorithm>

#include "lab/box.hpp"
#include "report/engine_sums.hpp"

namespace lmw::lab {

namespace {

constexpr Duration idle_check = std::chrono::seconds(1);
constexpr Duration watch_interval = std::chrono::seconds(1);

std::unique_ptr<workload::SessionSource> source_of(const Experiment& experiment, std::uint64_t seed) {
  if (experiment.recorded) return workload::recorded_sessions(*experiment.recorded);
  return workload::synthetic_sessions(experiment.workload.shape, experiment.workload.profile.block_size,
                                      seed);
}

// How much of an arm's virtual time is over, for who watches it.
class Progress {
 public:
  Progress(const Workload& workload, const Watch& watch)
      : watch_(watch), all_(workload.planned(workload.sessions.size())) {}
  // False: it is to stop.
  bool at(Duration in_this_part) {
    stopped_ = stopped_ || (watch_ && !watch_(seconds(done_ + in_this_part) / seconds(all_)));
    return !stopped_;
  }
  void end_part(Duration planned) { done_ += planned; }
  bool stopped() const { return stopped_; }

 private:
  const Watch& watch_;
  Duration all_;
  Duration done_{};  // of parts that have ended, as long as was planned
  bool stopped_ = false;
};

// A box and its sessions.
struct Run {
  Run(const Experiment& experiment, const PolicyKind& policy, std::uint64_t seed, Progress& made)
      : progress(made),
        workload(experiment.workload),
        source(source_of(experiment, seed)),
        box({.policy = policy,
             .profile = workload.profile,
             .replicas = workload.replicas,
             .kv_told = workload.kv_told,
             .api_servers = workload.replicas,  // vLLM's default
             .seed = seed},
            *source) {}

  void begin(int sessions) { box.clients().begin(workload.load(sessions), box.now()); }

  void warm() {
    const auto from = box.now();
    while (box.now() < from + workload.warm && progress.at(box.now() - from))
      box.run_until(std::min(box.now() + watch_interval, from + workload.warm));
    progress.end_part(workload.warm);
  }

  // Shorter when all sessions have ended.
  report::Window measure(Duration span) {
    report::Window window{box.now(), box.now()};
    while (window.to < window.from + span && !box.is_idle() && progress.at(window.to - window.from)) {
      window.to = std::min(window.to + idle_check, window.from + span);
      box.run_until(window.to);
    }
    progress.end_part(span);
    return window;
  }

  Progress& progress;
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

ArmRun run_arm(const Experiment& experiment, const PolicyKind& policy, std::uint64_t seed,
               const Watch& watch) {
  const auto& workload = experiment.workload;
  ArmRun result;
  Progress progress(workload, watch);
  std::optional<Run> run;
  for (std::size_t i = 0; i < workload.sessions.size() && !progress.stopped(); ++i) {
    const int sessions = workload.sessions[i];
    const bool fresh = workload.begins_anew(i);
    if (fresh) {
      if (run) result.engine_seconds += seconds(run->box.now().time_since_epoch());
      run.emplace(experiment, policy, seed, progress);
    }
    run->begin(sessions);
    if (fresh) run->warm();
    const auto before = run->box.sums();
    const auto window = run->measure(workload.step);
    result.steps.push_back(step_of(run->box, sessions, window, before));
    if (i == experiment.timeline_step) {
      result.timeline =
          report::timeline_of(std::string(policy.name), sessions, window, run->box.clients().turns());
    }
  }
  if (run) result.engine_seconds += seconds(run->box.now().time_since_epoch());
  result.stopped = progress.stopped();
  return result;
}

report::Report run(const Experiment& experiment, const std::function<void(const report::Report&)>& finished,
                   const Watch& watch) {
  report::Report report{.title = "Lab: " + experiment.workload.name};
  const auto all = static_cast<double>(experiment.arms.size()) * experiment.repeats;
  double done = 0;
  const Watch watch_all = [&](double share) { return !watch || watch((done + share) / all); };
  for (const auto* policy : experiment.arms) {
    std::vector<std::vector<report::Step>> runs;
    for (int i = 0; i < experiment.repeats; ++i) {
      auto once = run_arm(experiment, *policy, experiment.seed + static_cast<std::uint64_t>(i), watch_all);
      if (once.stopped) return report;
      ++done;
      if (i == 0 && once.timeline) report.timelines.push_back(std::move(*once.timeline));
      runs.push_back(std::move(once.steps));
    }
    report.arms.push_back(report::combine(std::string(policy->name), std::string(policy->what), runs));
    finished(report);
  }
  return report;
}

}  // namespace lmw::lab
