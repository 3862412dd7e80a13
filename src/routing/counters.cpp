#include "routing/counters.hpp"

#include <algorithm>

namespace lmw::routing {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::placed:
      return "placed";
    case Outcome::sticky:
      return "sticky";
    case Outcome::rehomed:
      return "rehomed";
    case Outcome::spilled:
      return "spilled";
    case Outcome::client_pinned:
      return "client_pinned";
    case Outcome::balanced:
      return "balanced";
    case Outcome::side:
      return "side";
    case Outcome::unrouted:
      return "unrouted";
    case Outcome::passed:
      return "passed";
    case Outcome::not_followed:
      return "not_followed";
  }
  return "";
}

std::string_view name_of(TurnEnd end) {
  switch (end) {
    case TurnEnd::answered:
      return "answered";
    case TurnEnd::cancelled:
      return "cancelled";
    case TurnEnd::failed:
      return "failed";
  }
  return "";
}

void TokenLedger::add(const TokenCounts& counts) {
  const auto prompt_tokens = counts.prompt.value_or(0);
  const auto cached_tokens = counts.prompt ? counts.cached.value_or(0) : 0;
  ++(counts.prompt && counts.cached ? measured_turns : unmeasured_turns);
  prompt += prompt_tokens;
  cached += cached_tokens;
  computed += prompt_tokens - cached_tokens;
  completion += counts.completion.value_or(0);
}

void WaitHistogram::observe(double seconds) {
  const auto bucket = std::ranges::lower_bound(bounds, seconds) - bounds.begin();
  ++buckets_[static_cast<std::size_t>(bucket)];
  sum_ += seconds;
  ++count_;
}

}  // namespace lmw::routing
