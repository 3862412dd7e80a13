// Lab runs for the page: one at a time, on a thread of its own with a low priority. The report is
// stored.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "admin/reports.hpp"
#include "base/result.hpp"
#include "lab/experiment.hpp"

namespace lmw::admin {

struct LabRequest {
  std::string workload;
  std::vector<std::string> arms;
  std::uint64_t seed = 1;
  int seeds = 1;  // runs of each arm, with so many seeds from `seed` on
};

enum class LabState { running, done, cancelled, failed };

struct LabStatus {
  LabRequest request;
  LabState state = LabState::running;
  double progress = 0;       // 0 to 1, of the virtual time
  std::string arm;           // that runs now
  std::int64_t started = 0;  // unix seconds
  double took_s = 0;         // so far, or in all
  std::string report;        // its id, when done
  std::string problem;       // when failed
};

class LabRuns {
 public:
  static constexpr int most_seeds = 20;

  // The reports must outlive it.
  explicit LabRuns(Reports& reports) : reports_(reports) {}
  // Stops the run, and waits until it has.
  ~LabRuns() = default;

  enum class Refusal { busy, bad_request, no_room };
  struct Refused {
    Refusal why;
    std::string message;
  };
  // Nothing when it was started. Reads the reports' folder.
  std::optional<Refused> start(const LabRequest& request);
  // Whether one was running. It ends within a virtual second.
  bool cancel();
  // The run under way, or else the last one.
  std::optional<LabStatus> status() const;

 private:
  void work(const lab::Experiment& experiment, const std::stop_token& stop);
  void end(LabState state, std::string report, std::string problem);

  Reports& reports_;
  mutable std::mutex mutex_;
  std::optional<LabStatus> status_;
  std::chrono::steady_clock::time_point began_;
  std::jthread thread_;  // last: it ends before what it uses
};

}  // namespace lmw::admin
