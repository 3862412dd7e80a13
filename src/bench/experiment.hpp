// Runs the sessions of a workload through each arm, as often as asked: a report. Each run has prompts of its
// own (the arms do equal work in different words), and the runs of the arms alternate, so that neither a
// cache that another run has filled nor a box that gets slower favours one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/agents.hpp"
#include "bench/engine_watch.hpp"
#include "bench/gateway.hpp"
#include "lab/workloads.hpp"
#include "report/report.hpp"

namespace lmw::bench {

enum class Order {
  abba,     // the arms forth, back, forth …
  shuffle,  // at random, each arm once a repeat
};

struct ExperimentOptions {
  lab::Workload workload;  // of it the sessions and the protocol; the box is a real one
  int block_size = 16;     // of recorded sessions, their trace's
  double tokens_per_word = 1;
  // Of a trace; must outlive the run. Null: synthetic ones.
  const std::vector<workload::Session>* recorded = nullptr;
  Origin target;
  Dialect dialect;
  std::vector<const Arm*> arms;
  int repeats = 1;
  Order order = Order::abba;
  std::uint64_t seed = 1;
  std::string salt;  // of this invocation; runs on the same engine must differ in it
  std::size_t timeline_step = 0;
  Duration rest{};  // between two runs: what a gateway counts as recent conversations must be gone
  std::vector<engine::Access> engines;  // whose counters are read
};

// A run of one arm.
struct Run {
  std::size_t arm = 0;
  int repeat = 0;
};

std::vector<Run> order_of(std::size_t arms, int repeats, Order order, std::uint64_t seed);

struct Progress {
  const Arm& arm;
  report::Step step;  // so far
  double share;       // of the time of all runs
  Duration left;      // engine time
};

class Experiment {
 public:
  // No gateway: only arms that change nothing. Gateway and clock must outlive it.
  Experiment(net::asio::io_context& context, ExperimentOptions options, Gateway* gateway,
             const EngineClock& clock);

  // Ends early after stop(), and on what makes the rest pointless: that is the error. `step_done` is called
  // whenever report() has grown.
  net::awaitable<Result<void>> run(std::function<void(const Progress&)> progress,
                                   std::function<void()> step_done);
  void stop();

  // What is finished. Without title and provenance.
  report::Report report() const;
  // Why the last turn that failed did; "" = none has.
  const std::string& last_failure() const { return last_failure_; }

 private:
  struct Counted {
    report::EngineSums engines;
    std::optional<GatewayCounts> gateway;
  };

  net::awaitable<Result<void>> run_all();
  net::awaitable<void> run_steps(Run run);
  net::awaitable<void> run_step(Run run, std::size_t number);
  net::awaitable<report::Window> measure(Run run, std::size_t number, const report::EngineSums& before);
  net::awaitable<Counted> count();
  net::awaitable<void> end_agents();
  net::awaitable<void> rest();
  Progress progress_at(Run run, std::size_t number, Duration into_step) const;
  net::awaitable<void> sleep(std::chrono::nanoseconds wall);
  void start_agents(Run run, std::size_t step);

  net::asio::io_context& context_;
  ExperimentOptions options_;
  Gateway* gateway_;
  const EngineClock& clock_;
  EngineWatch watch_;
  std::function<void(const Progress&)> progress_;
  std::function<void()> step_done_;
  std::vector<Run> order_;
  std::size_t current_ = 0;                                   // in order_
  std::vector<std::vector<std::vector<report::Step>>> runs_;  // by arm and repeat
  std::vector<report::Timeline> timelines_;
  std::unique_ptr<workload::SessionSource> source_;
  std::unique_ptr<Agents> agents_;
  net::asio::steady_timer timer_;
  std::string last_failure_;
  bool stopping_ = false;
};

}  // namespace lmw::bench
