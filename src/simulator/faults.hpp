// What can be made to go wrong, and how it is asked for (README.md has the JSON).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace lmw::simulator {

enum class MetricsFault {
  none,
  slow,          // answers after a while
  error,         // 500
  garbage,       // no Prometheus text at all
  nan,           // gauges are NaN
  huge,          // 20 MB
  missing_rank,  // one replica has no samples
  frozen,        // the page as it was when the fault came
};

enum class TurnFault {
  none,
  busy,              // 503, as --max-num-queued-reqs answers
  close_unanswered,  // reads the request, then closes the connection
  cut,               // closes after some events of the stream
  cut_mid_event,     // closes inside the event after these
};

struct Faults {
  MetricsFault metrics = MetricsFault::none;
  Duration metrics_delay = std::chrono::seconds(10);  // of `slow`
  int missing_rank = 0;                               // of `missing_rank`
  TurnFault turns = TurnFault::none;
  int after_events = 3;           // of the cuts
  std::optional<int> turns_left;  // how many turns it still hits; absent: all
  std::set<int> hung;             // replicas that run no step

  // The fault of the turn that begins now; counts turns_left down.
  TurnFault take_turn_fault();
};

struct Death {
  std::optional<Duration> down;  // until it comes back; absent: it doesn't
};

struct FaultOrder {
  Faults faults;
  std::optional<Death> death;
};

// Reads a POST /sim/faults: what it doesn't name stays as it is in `now`. Unknown keys, wrong types and
// replicas that don't exist are errors.
Result<FaultOrder> read_fault_order(std::string_view json, const Faults& now, int replicas);
std::string to_json(const Faults& faults);

}  // namespace lmw::simulator
