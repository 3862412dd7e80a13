// Runs a bench in the terminal: a progress line, the report written again after each step, Ctrl-C.
#pragma once

#include "app/bench_flags.hpp"
#include "app/run_lines.hpp"

namespace lmw::app {

// The exit status of the command. The gateway may be null; all must outlive the call.
int run_experiment(net::asio::io_context& context, const BenchOptions& options,
                   bench::ExperimentOptions experiment, bench::Gateway* gateway, const About& about);

}  // namespace lmw::app
