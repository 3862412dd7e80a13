// The conversations of a pool and their homes. Least recently used first out beyond a number, and after a
// time without a turn. The counts that placement needs of each home are kept up to date, so that no turn
// scans the table.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/time.hpp"
#include "routing/cache_account.hpp"
#include "routing/cached_shares.hpp"
#include "routing/identity.hpp"
#include "routing/ids.hpp"
#include "routing/key.hpp"

namespace lmw::routing {

struct Conversation {
  TurnKey key;
  KeySource source = KeySource::none;
  ReplicaId home;
  Instant first_seen{};
  Instant last_active{};
  std::uint64_t turns = 0;
  int in_flight = 0;
  bool has_tools = false;                   // any turn of it had
  std::optional<std::uint64_t> window;      // last window number seen
  std::uint64_t bytes = 0;                  // of the body of its last turn that was counted
  std::optional<std::int64_t> context;      // tokens: last prompt and its completion
  std::optional<std::int64_t> last_prompt;  // of the last measured turn
  std::optional<std::int64_t> last_cached;
  std::optional<CacheAccount> last_account;
  CachedShares cached_shares;  // of its last turns
  std::int64_t saved = 0;      // tokens: the sum of its Counterfactuals; see shadow.hpp
};

struct TableLimits {
  std::size_t conversations = 65'536;
  Duration idle = std::chrono::hours(24);
  std::size_t prompts = 8192;  // conversations whose last prompt is remembered; see prompt_index.hpp
};

class ConversationTable {
 public:
  // Conversations active in this time count as recent.
  static constexpr Duration recent_window = std::chrono::minutes(5);

  explicit ConversationTable(TableLimits limits) : limits_(limits) {}

  // Moves what has become old or too idle. Call it before reading counts; the cost is that of what moves.
  void advance(Instant now);

  Conversation* find(ConversationKey key);
  const Conversation* find(ConversationKey key) const;
  // A conversation that is not in the table yet. May push out the least recently used one.
  Conversation& insert(Conversation conversation, Instant now);
  // A turn of it was sent or has ended. Here and below: a conversation of this table.
  void touch(Conversation& conversation, Instant now);
  void move_home(Conversation& conversation, ReplicaId home);
  bool is_recent(const Conversation& conversation) const;
  // Forgets all whose home it is: its cache is gone.
  void forget_home(ReplicaId home);

  std::size_t size() const { return index_.size(); }
  int homed(ReplicaId id) const { return count(id).all; }
  int recent(ReplicaId id) const { return count(id).recent; }

  // The most recently active first, until `visit` returns false.
  void for_each(const std::function<bool(const Conversation&)>& visit) const;

 private:
  struct Entry;
  using List = std::list<Entry>;
  struct Entry : Conversation {
    bool recent = true;
    List::iterator at = {};  // itself
  };
  struct Counts {
    int all = 0;
    int recent = 0;
  };

  Counts& count(ReplicaId id);
  Counts count(ReplicaId id) const;
  static Entry& entry_of(Conversation& conversation) { return static_cast<Entry&>(conversation); }
  void erase(List& list, Entry& entry);

  TableLimits limits_;
  List
      recent_;  // each by last activity, the latest first; everything here is later than everything in older_
  List older_;
  std::unordered_map<ConversationKey, Entry*> index_;
  std::vector<Counts> counts_;  // by ReplicaId
};

}  // namespace lmw::routing
