// What routing counts, since the start. Plain numbers: what shows them lives elsewhere.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lmw::routing {

// How a turn came to its replica.
enum class Outcome {
  placed,   // a new conversation got a home
  sticky,   // went home
  rehomed,  // a known conversation got another home: its own is gone, has nothing left or no room for it
  spilled,  // home was over its threshold: this turn alone went to the least loaded replica
  client_pinned,  // the client named the rank
  balanced,       // no conversation could be told: least loaded
  side,           // a small request beside a conversation: least loaded, no home
  unrouted,       // affinity is off: the engine balances
  passed,         // carries a rank header that we can't read: passed on as it is
  not_followed,   // its engine ignores the rank on this path and balances by itself
};
inline constexpr std::size_t outcomes = 10;

std::string_view name_of(Outcome outcome);

// How a turn ended.
enum class TurnEnd {
  answered,   // the engine's whole answer was passed on
  cancelled,  // the client left first
  failed,     // the engine failed, or answered with an error
};

std::string_view name_of(TurnEnd end);

// What the engine itself counted for one turn. Absent: it did not say.
struct TokenCounts {
  std::optional<std::int64_t> prompt;
  std::optional<std::int64_t> cached;
  std::optional<std::int64_t> completion;
};

// Sums of the engine's own counts over ended turns. A prompt without a cached count is counted as computed,
// and its turn as unmeasured.
struct TokenLedger {
  std::uint64_t measured_turns = 0;
  std::uint64_t unmeasured_turns = 0;
  std::int64_t prompt = 0;
  std::int64_t cached = 0;
  std::int64_t computed = 0;
  std::int64_t completion = 0;

  void add(const TokenCounts& counts);
};

// Seconds.
class WaitHistogram {
 public:
  static constexpr std::array<double, 16> bounds = {0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,   2,
                                                    3,    5,     10,   20,  40,   80,  160, 320};
  void observe(double seconds);

  // Per bucket, not cumulative; the last one has no upper bound.
  const std::array<std::uint64_t, bounds.size() + 1>& buckets() const { return buckets_; }
  double sum() const { return sum_; }
  std::uint64_t count() const { return count_; }

 private:
  std::array<std::uint64_t, bounds.size() + 1> buckets_{};
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

// Turns that have a Counterfactual (see shadow.hpp), and their tokens.
struct SavingCounters {
  std::uint64_t turns = 0;
  std::int64_t cached = 0;         // found in the cache in truth
  std::int64_t engine_cached = 0;  // that the engine's balancer would have found
};

struct ReplicaCounters {
  std::array<std::uint64_t, outcomes> turns{};  // by outcome; spilled: turns of other homes that came here
  std::uint64_t spilled_away = 0;               // turns that had their home here and went elsewhere
  TokenLedger tokens;
};

struct PoolCounters {
  std::array<std::uint64_t, outcomes> turns{};
  std::array<WaitHistogram, outcomes> ttfb{};
  std::uint64_t answered = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t failed = 0;
  WaitHistogram held;                 // turns that waited for a place, until they were let in
  std::uint64_t left_while_held = 0;  // turns whose client left before, or that were refused
  std::uint64_t moved = 0;            // sent again to another replica after the first one could not take it
  TokenLedger tokens;
  SavingCounters saving;
};

}  // namespace lmw::routing
