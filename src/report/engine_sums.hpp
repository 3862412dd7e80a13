// What engines say of themselves, as the columns of a step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "report/report.hpp"

namespace lmw::report {

// An engine's counters, over its replicas.
struct EngineCounters {
  std::int64_t queries = 0;  // prompt tokens looked up in the prefix cache
  std::int64_t hits = 0;
  std::int64_t restarts = 0;  // that were seen: each set the counters back
};

// As of one moment. Polls are counted since some start.
struct EngineSums {
  std::vector<std::optional<EngineCounters>> engines;  // absent: it could not be read
  std::int64_t polls = 0;                              // that reached every engine …
  std::int64_t missed = 0;                             // … and those that did not
  std::int64_t busy = 0;                               // replicas with work, over all `polls`
};

// Fills in what they say of the time between. Hits need every engine's counters at both ends, and none that
// has restarted; busy replicas, that most polls reached every engine.
void add_engine(Step& step, const EngineSums& before, const EngineSums& after);

}  // namespace lmw::report
