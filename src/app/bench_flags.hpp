// What `lmwarden bench` was asked for.
#pragma once

#include <string>
#include <vector>

#include "app/report_output.hpp"
#include "app/workload_flags.hpp"
#include "bench/bed.hpp"
#include "bench/experiment.hpp"

namespace lmw::app {

struct BenchOptions {
  WorkloadFlags workload;
  bench::BedOptions bed{.url = "http://127.0.0.1:8080", .admin = "http://127.0.0.1:8081"};
  wire::Endpoint api = wire::Endpoint::messages;
  bench::Ids ids = bench::Ids::session;
  bool ignore_eos = true;
  std::vector<std::string> arms;
  int repeats = 1;
  bench::Order order = bench::Order::abba;
  double rest = 300;
  std::uint64_t seed = 1;
  double think_scale = 1;
  double time_scale = 1;
  std::string note;
  ReportOutput output;
};

void add_bench_flags(CLI::App& command, BenchOptions& options);

}  // namespace lmw::app
