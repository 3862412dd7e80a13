// What engines say of themselves, as the columns of a step.
#pragma once

#include <cstdint>

#include "report/report.hpp"

namespace lmw::report {

// Since some start, over all replicas.
struct EngineSums {
  std::int64_t queries = 0;  // prompt tokens looked up in the prefix cache
  std::int64_t hits = 0;
  std::int64_t polls = 0;
  std::int64_t busy = 0;  // replicas with work, over all polls
};

// Fills in what they say of the time between; nothing where nothing was counted, or an engine has restarted.
void add_engine(Step& step, const EngineSums& before, const EngineSums& after);

}  // namespace lmw::report
