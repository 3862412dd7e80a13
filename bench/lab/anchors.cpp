// Hit rates of traces under plain LRU caches: main agents only, four caches. Sessions that have no clock in
// common start a minute after one another.
#include <limits>

#include <fmt/format.h>

#include "app/trace_file.hpp"
#include "lab/cache_study.hpp"

int main(int argc, char** argv) {
  using namespace lmw;
  constexpr double million = 1e6, endless = std::numeric_limits<double>::infinity();
  for (int i = 1; i < argc; ++i) {
    const auto trace = app::load_trace(argv[i], {.main_agents_only = true});
    if (!trace) {
      fmt::print(stderr, "{}\n", trace.error().message);
      return 1;
    }
    fmt::print("{}\n{:>12} {:>9} {:>9} {:>14}\n", trace->name, "capacity", "one pool", "4 sticky",
               "4 round robin");
    for (const double capacity : {0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, endless}) {
      const auto hits = [&](int caches, lab::Split split) {
        return lab::hits_pct({.caches = caches,
                              .capacity_tokens = capacity * million,
                              .split = split,
                              .block_size = trace->block_size,
                              .stagger = trace->is_clocked ? Duration{} : std::chrono::minutes(1)},
                             trace->sessions);
      };
      fmt::print("{:>10g} M {:>9.2f} {:>9.2f} {:>14.2f}\n", capacity, hits(1, lab::Split::sticky),
                 hits(4, lab::Split::sticky), hits(4, lab::Split::round_robin));
    }
  }
}
