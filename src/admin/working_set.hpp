// Whether the live conversations of a replica fit its prefix cache. Beyond it each prefix is evicted before
// it is used again, wherever the turns go. But what they share is there once: that it does not fit is said
// only when turns have missed what was evicted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "routing/router.hpp"

namespace lmw::admin {

enum class Fit { unknown, fits, tight, thrashing };
std::string_view name_of(Fit fit);

struct WorkingSet {
  // A conversation is live while its last turn is no older than this (engine time): what has ended, as most
  // sub-agents soon have, must not count.
  static constexpr Duration live = routing::ConversationTable::recent_window;
  static constexpr double tight_from = 0.8;  // of the capacity

  std::uint32_t replica = 0;
  int conversations = 0;
  // Sum of their contexts. A prefix that several share is counted for each of them.
  std::int64_t tokens = 0;
  std::optional<std::int64_t> capacity;
  int evicted = 0;         // turns that ended in this time and missed what the replica had evicted
  bool host_tier = false;  // what is evicted is kept in host memory

  Fit fit() const;
};

// Of each replica that is present, in order of id.
std::vector<WorkingSet> working_sets(const routing::Router& router, Instant now);

// What they mean, in a sentence or two. "" when there is nothing to say yet. `places_on`: turns are held so
// that what is inside stays inside.
std::string advice(const std::vector<WorkingSet>& sets, bool places_on = false);

}  // namespace lmw::admin
