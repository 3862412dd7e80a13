// How fast the lab is: engine seconds a second of one core, for each policy on the published workload.
#include <chrono>
#include <ctime>

#include <fmt/format.h>

#include "lab/experiment.hpp"

namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main() {
  using namespace lmw;
  constexpr int runs = 20;
  lab::Experiment experiment{.workload = *lab::find_workload("published")};
  fmt::print("{:<15} {:>10} {:>16}\n", "policy", "CPU s", "× the wall clock");
  for (const auto& policy : lab::policies()) {
    double engine = 0;
    const double begin = cpu_seconds();
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
      engine += lab::run_arm(experiment, policy, seed).engine_seconds;
    }
    const double spent = cpu_seconds() - begin;
    fmt::print("{:<15} {:>10.3f} {:>16.0f}\n", policy.name, spent / runs, engine / spent);
  }
}
