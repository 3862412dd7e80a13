// Runs a workload under several policies, with several seeds: a report.
#pragma once

#include <functional>
#include <vector>

#include "lab/policy.hpp"
#include "lab/workloads.hpp"
#include "report/report.hpp"
#include "workload/session.hpp"

namespace lmw::lab {

// Told now and then which share of a run's virtual time is over, from 0 to 1. False stops the run.
using Watch = std::function<bool(double)>;

struct Experiment {
  Workload workload;
  std::vector<const PolicyKind*> arms;
  std::uint64_t seed = 1;
  int repeats = 1;  // with the seeds seed, seed + 1, …
  // Of a trace, in blocks of the profile's size; must outlive the run. Null: synthetic ones.
  const std::vector<workload::Session>* recorded = nullptr;
  // The step whose time-line is kept, of the first seed.
  std::size_t timeline_step = 0;
};

struct ArmRun {
  std::vector<report::Step> steps;
  std::optional<report::Timeline> timeline;
  double engine_seconds = 0;  // virtual time that went by
  bool stopped = false;       // by the watch: what is there is not whole
};

// One arm with one seed.
ArmRun run_arm(const Experiment& experiment, const PolicyKind& policy, std::uint64_t seed,
               const Watch& watch = {});

// All of it. `finished` is told the report so far after each arm. When `watch` stops it, the arms that were
// finished are in the report.
report::Report run(const Experiment& experiment, const std::function<void(const report::Report&)>& finished,
                   const Watch& watch = {});

}  // namespace lmw::lab
