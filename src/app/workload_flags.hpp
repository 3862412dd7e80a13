// Which sessions are sent, and how long it is measured: flags that `lab` and `bench` share.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/result.hpp"
#include "lab/workloads.hpp"
#include "workload/trace.hpp"

namespace CLI {
class App;
}

namespace lmw::app {

// As given; what was not is the workload's.
struct WorkloadFlags {
  std::string name = "published";
  std::vector<int> sessions;
  std::optional<double> seconds, warm, sessions_per_hour;
  std::string trace_file;
  bool strict = false;
  int timeline_step = -1;  // -1: the middle one
  std::vector<std::function<void(workload::SessionShape&)>> shape;

  Result<lab::Workload> workload() const;
  // Nothing where no trace was given. Lines that can't be read are named on standard error.
  Result<std::optional<workload::Trace>> trace() const;
  std::size_t timeline_step_of(const lab::Workload& workload) const;
};

void add_workload_flags(CLI::App& command, WorkloadFlags& flags);

// "a, b, c" of what has names.
template <class T>
std::string names_of(const T& list) {
  std::vector<std::string> names;
  for (const auto& item : list) names.emplace_back(item.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace lmw::app
