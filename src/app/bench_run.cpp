#include "app/bench_run.hpp"

#include <boost/asio/signal_set.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/progress_line.hpp"
#include "app/run_to_end.hpp"
#include "report/tables.hpp"

namespace lmw::app {

namespace {

constexpr int interrupted_status = 130;  // as of a program that SIGINT ended

class Runner {
 public:
  Runner(const BenchOptions& options, const About& about) : options_(options), about_(about) {}

  int run(net::asio::io_context& context, bench::ExperimentOptions plan, bench::Gateway* gateway,
          const EngineClock& clock) {
    bench::Experiment experiment(context, std::move(plan), gateway, clock);
    experiment_ = &experiment;
    net::asio::signal_set signals(context, SIGINT, SIGTERM);
    signals.async_wait([&](boost::system::error_code error, int) {
      if (error) return;
      interrupted_ = true;
      experiment.stop();
    });
    const auto result = run_to_end(context, [&]() -> net::awaitable<Result<void>> {
      auto ended =
          co_await experiment.run([&](const bench::Progress& progress) { show(progress); }, [&] { write(); });
      signals.cancel();
      co_return ended;
    });
    line_.end();
    return finish(result);
  }

 private:
  report::Report report() const {
    auto report = experiment_->report();
    report.title = "Bench: " + options_.workload.name;
    report.provenance = about_;
    return report;
  }

  void show(const bench::Progress& progress) {
    line_.show(fmt::format("{} {}", progress.arm.name, progress.step.sessions), progress.share, progress.step,
               seconds(progress.left) / options_.time_scale);
  }

  void write() {
    line_.end();
    if (!takes_stdout(options_.output)) written_ = write_report(options_.output, report()) && written_;
  }

  int finish(const Result<void>& result) {
    const auto finished = report();
    if (takes_stdout(options_.output)) {
      written_ = write_report(options_.output, finished);
    } else {
      fmt::print("{}\n", report::to_table(finished));
      for (const auto& arm : finished.arms) fmt::print("{:<15} {}\n", arm.name, arm.what);
      if (written_ && !finished.arms.empty())
        fmt::print("\nWritten: {}\n", fmt::join(options_.output.files(), ", "));
    }
    warn_of_empty_steps(finished);
    if (!experiment_->last_failure().empty())
      fmt::print(stderr, "Turns have failed; the last one: {}\n", experiment_->last_failure());
    if (interrupted_) fmt::print(stderr, "Interrupted: these are the steps that were finished.\n");
    if (!result) {
      fmt::print(stderr, "lmwarden bench: {}\n", result.error().message);
      return 1;
    }
    if (interrupted_) return interrupted_status;
    return written_ ? 0 : 1;
  }

  const BenchOptions& options_;
  const About& about_;
  bench::Experiment* experiment_ = nullptr;
  ProgressLine line_;
  bool interrupted_ = false;
  bool written_ = true;
};

}  // namespace

int run_experiment(net::asio::io_context& context, const BenchOptions& options,
                   bench::ExperimentOptions experiment, bench::Gateway* gateway, const About& about) {
  const EngineClock clock(options.time_scale);
  return Runner(options, about).run(context, std::move(experiment), gateway, clock);
}

}  // namespace lmw::app
