// What can be run by name: sessions, the box they run on, and the protocol of the measurement.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "replica/profile.hpp"
#include "workload/clients.hpp"
#include "workload/session_shape.hpp"

namespace lmw::lab {

using workload::Arrivals;

struct Workload {
  std::string name;
  std::string what;
  replica::Profile profile;
  int replicas = 4;
  double kv_told = 1;  // the share of its KV cache that the engine tells; 0: it tells nothing
  Arrivals arrivals = Arrivals::closed;
  std::vector<int> sessions;     // of each step; one step of any number unless closed
  double sessions_per_hour = 0;  // poisson
  Duration step{};               // how long a step is measured
  Duration warm{};               // before the first step, and with `fresh` before each
  bool fresh = false;  // each step on an empty box; else clients are added or leave from step to step
  Duration stagger{};  // between the starts of two clients
  bool needs_trace = false;
  workload::SessionShape shape;  // without a trace

  // Whether a step starts on a box without sessions, after the warm-up.
  bool begins_anew(std::size_t of_step) const { return of_step == 0 || fresh; }
  // How long the first `steps` of them take in all, warm-ups included, where no sessions end before.
  Duration planned(std::size_t steps) const {
    const auto warm_ups = fresh ? steps : std::min<std::size_t>(steps, 1);
    return static_cast<std::int64_t>(steps) * step + static_cast<std::int64_t>(warm_ups) * warm;
  }

  workload::Load load(int of_sessions) const {
    return {.arrivals = arrivals,
            .sessions = of_sessions,
            .stagger = stagger,
            .sessions_per_hour = sessions_per_hour};
  }
};

std::span<const Workload> workloads();
// Null when there is none of that name.
const Workload* find_workload(std::string_view name);

}  // namespace lmw::lab
