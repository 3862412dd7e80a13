// What the engine found cached of each turn against what it should have found, with the reason where it found
// far less.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "routing/counters.hpp"
#include "routing/prompt_index.hpp"

namespace lmw::routing {

enum class Miss {
  none,              // found what there was
  first_turn,        // there was nothing to find
  prompt_changed,    // the prompt differs from the last one before its end
  moved,             // the turn went where its context is not
  engine_restarted,  // the replica that kept it has started anew
  not_followed,      // the engine chose the replica itself
  evicted,           // the replica kept it once
  unmeasured,        // the engine does not tell cached tokens
};
inline constexpr std::size_t misses = 8;

std::string_view name_of(Miss miss);

// What is known of a turn's context when the turn ends.
struct CacheFacts {
  std::optional<std::int64_t> context;  // tokens of the last turn and its completion; nothing: the first turn
  std::optional<std::int64_t> kept;     // of these on the replica that took the turn
  bool restarted = false;               // a replica that kept it has started anew
  bool engine_chose = false;
  std::optional<PromptBreak> broken;
};

struct CacheAccount {
  // min(what the replica keeps, the prompt). Nothing where the prompt is not known.
  std::optional<std::int64_t> expected;
  // Tokens of the last turn that were computed again. 0 where it is too little to be a miss: less than 512 or
  // an eighth of what there was.
  std::int64_t lost = 0;
  Miss miss = Miss::none;
  std::optional<PromptBreak> broken;  // with prompt_changed
};

CacheAccount account_of(const CacheFacts& facts, const TokenCounts& tokens);

// Sums over ended turns, by reason.
struct CacheCounters {
  std::array<std::uint64_t, misses> turns{};
  std::array<std::int64_t, misses> lost{};  // tokens

  void add(const CacheAccount& account);
};

// Where the prompts of conversations broke, by client, and what it cost.
class PromptBreaks {
 public:
  static constexpr std::size_t limit = 256;  // the one seen longest ago is forgotten first

  struct Entry {
    std::string client;
    PromptBreak where;
    std::uint64_t turns = 0;
    std::int64_t lost = 0;  // tokens, in all
    Instant last{};

    // Tokens lost in the last hour, to ten minutes.
    std::int64_t lost_last_hour(Instant now) const;

   private:
    friend class PromptBreaks;
    static constexpr Duration slot = std::chrono::minutes(10);
    static constexpr std::int64_t slots = 6;
    struct Slot {
      std::int64_t number = -1;
      std::int64_t lost = 0;
    };
    std::array<Slot, slots> recent_{};
  };

  void add(std::string_view client, const PromptBreak& where, std::int64_t lost, Instant now);
  const std::deque<Entry>& entries() const { return entries_; }

 private:
  std::deque<Entry> entries_;  // the latest first
};

}  // namespace lmw::routing
