#include "admin/lab_runs.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/utc.hpp"
#include "lab/provenance.hpp"

namespace lmw::admin {

namespace {

Result<lab::Experiment> experiment_of(const LabRequest& request) {
  const auto* workload = lab::find_workload(request.workload);
  if (!workload) return failure(fmt::format("there is no workload '{}'", request.workload));
  if (workload->needs_trace)
    return failure(fmt::format("'{}' needs a trace: run it with lmwarden lab", workload->name));
  if (request.seeds < 1 || request.seeds > LabRuns::most_seeds)
    return failure(fmt::format("seeds is a number from 1 to {}", LabRuns::most_seeds));
  lab::Experiment experiment{.workload = *workload, .seed = request.seed, .repeats = request.seeds};
  const std::set<std::string_view> distinct(request.arms.begin(), request.arms.end());
  if (distinct.empty() || distinct.size() != request.arms.size())
    return failure("arms is a list of policies, at least one and none of them twice");
  for (const auto& name : request.arms) {
    experiment.arms.push_back(lab::find_policy(name));
    if (!experiment.arms.back()) return failure(fmt::format("there is no policy '{}'", name));
  }
  return experiment;
}

// A tenth of a core where turns want all of it, and not nothing. That it can't be had is no reason not to
// run.
constexpr int niceness = 10;
void lower_priority() { std::ignore = setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), niceness); }

}  // namespace

std::optional<LabRuns::Refused> LabRuns::start(const LabRequest& request) {
  auto experiment = experiment_of(request);
  if (!experiment) return Refused{Refusal::bad_request, experiment.error().message};
  if (const auto problem = reports_.problem(); !problem.empty()) return Refused{Refusal::no_room, problem};
  const std::scoped_lock lock(mutex_);
  if (status_ && status_->state == LabState::running)
    return Refused{Refusal::busy, "a run is under way: wait for its end, or cancel it"};
  status_ = LabStatus{.request = request, .arm = request.arms.front(), .started = unix_now()};
  began_ = std::chrono::steady_clock::now();
  thread_ = std::jthread(
      [this, experiment = std::move(*experiment)](const std::stop_token& stop) { work(experiment, stop); });
  return std::nullopt;
}

bool LabRuns::cancel() {
  const std::scoped_lock lock(mutex_);
  if (!status_ || status_->state != LabState::running) return false;
  thread_.request_stop();
  return true;
}

std::optional<LabStatus> LabRuns::status() const {
  const std::scoped_lock lock(mutex_);
  auto now = status_;
  if (now && now->state == LabState::running)
    now->took_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  return now;
}

void LabRuns::work(const lab::Experiment& experiment, const std::stop_token& stop) {
  lower_priority();
  const auto watch = [&](double progress) {
    const std::scoped_lock lock(mutex_);
    status_->progress = progress;
    return !stop.stop_requested();
  };
  const auto finished = [&](const report::Report& so_far) {
    const std::scoped_lock lock(mutex_);
    if (so_far.arms.size() < experiment.arms.size()) status_->arm = experiment.arms[so_far.arms.size()]->name;
  };
  auto report = lab::run(experiment, finished, watch);
  if (stop.stop_requested()) return end(LabState::cancelled, "", "");
  report.provenance = lab::provenance(experiment);
  const auto now = unix_now();
  report.provenance.emplace_back("date", utc(now));
  const auto id = reports_.add(report, now);
  if (id) return end(LabState::done, *id, "");
  end(LabState::failed, "", id.error().message);
}

void LabRuns::end(LabState state, std::string report, std::string problem) {
  const std::scoped_lock lock(mutex_);
  if (state == LabState::done) status_->progress = 1;
  status_->state = state;
  status_->took_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  status_->report = std::move(report);
  status_->problem = std::move(problem);
}

}  // namespace lmw::admin
