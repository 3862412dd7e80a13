// One turn as its client saw it, and a row of a report made of many.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.hpp"

namespace lmw::report {

struct Turn {
  std::uint64_t session = 0;     // sub-agents have their session's
  int agent = 0;                 // the client it belongs to, or 0
  std::optional<int> replica{};  // where it ran, if that can be told
  Instant sent{};
  std::optional<Instant> first{};  // content
  std::optional<Instant> done{};   // nothing: still under way
  int prompt_tokens = 0;
  std::optional<int> cached_tokens{};  // by the engine's own count
  int output_tokens = 0;
  bool failed = false;
  bool ends_session = false;     // the last turn of its session
  std::optional<bool> stayed{};  // ran where the turn before did; nothing for first turns, or if unknown
  bool spilled = false;
  bool held = false;  // waited in the gateway
};

struct Window {
  Instant from{};
  Instant to{};
};

struct Step;

// All columns that turns alone tell, of those that ended in the window. Waits of turns still under way count
// up to its end.
Step summarize(const std::vector<Turn>& turns, Window window);

// The q-quantile (0..1) by linear interpolation; nothing for no values.
std::optional<double> quantile(std::vector<double> values, double q);

}  // namespace lmw::report
