// What the last prompt of each conversation looked like, in hashes: finds the conversation that a prompt
// continues, and where a prompt first differs from the one before it.
//
// Memory: of a conversation at most 1,024 messages (8 bytes each), six texts in 128 pieces (8 bytes each) and
// 32 places in the index (about 64 bytes each): 16 KiB at most, 3 KiB for a prompt of 60 messages with its
// tools. The least recently recorded goes first beyond a number of conversations.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/fingerprint.hpp"
#include "routing/ids.hpp"

namespace lmw::routing {

// Where a prompt first differs from the last one of its conversation.
struct PromptBreak {
  enum class Part { system, tools, message } part = Part::system;
  std::uint32_t message = 0;               // its index in the list of messages
  std::optional<std::uint32_t> character;  // about, in the text of that part; not known far into a prompt
  friend bool operator==(const PromptBreak&, const PromptBreak&) = default;
};

// Tokens of a conversation that a replica read or made in its current run.
struct Kept {
  ReplicaId replica;
  std::uint32_t run = 0;
  std::int64_t tokens = 0;
};

class PromptIndex {
 public:
  explicit PromptIndex(std::size_t conversations) : limit_(conversations) {}

  struct Match {
    ConversationKey conversation;
    bool whole =
        false;  // its last prompt stands whole at the head of this one, or its last that was answered
    bool longer = false;  // this one has more messages than that
  };
  // The conversation with the longest prompt in common, if that is more than what its first prompt may share
  // with others. A prompt whose system prompt and tools are both others is another agent's.
  std::optional<Match> find(const Fingerprint& prompt) const;

  struct Comparison {
    bool other_start = false;  // its first words are others
    bool replaced = false;     // so, or far fewer messages: the old prefix is gone
    std::optional<PromptBreak> broken;
  };
  // Nothing: no prompt of that conversation is known.
  std::optional<Comparison> compare(ConversationKey conversation, const Fingerprint& prompt) const;

  void record(ConversationKey conversation, const Fingerprint& prompt);
  // The turn with its last prompt was not answered: some clients forget what was asked.
  void cut_short(ConversationKey conversation);

  // A turn has ended: how many tokens the conversation has now, and which replica keeps them, if that is
  // known.
  void keep(ConversationKey conversation, std::int64_t context, const std::optional<Kept>& kept);
  std::span<const Kept> kept(ConversationKey conversation) const;
  std::optional<std::int64_t> context(ConversationKey conversation) const;

  std::size_t size() const { return trails_.size(); }

 private:
  struct Place {
    ConversationKey conversation;
    bool tail = false;  // its last prompt without the tail of its last message
  };
  using Places = std::unordered_multimap<std::uint64_t, Place>;  // by identity of a head of a prompt
  struct Trail {
    ConversationKey conversation;
    Fingerprint::Part system, tools;
    std::vector<std::uint64_t> exact;  // by message
    std::array<std::vector<Fingerprint::Piece>, Fingerprint::messages_in_pieces> pieces;
    std::size_t messages = 0;
    std::size_t answered = 0;  // messages of the last prompt before this one that was not cut short
    bool is_cut_short = false;
    std::uint64_t start = 0;     // identity of its first words
    std::uint64_t identity = 0;  // of the whole prompt
    std::vector<Places::iterator> places;
    std::vector<Places::iterator> tails;
    std::vector<Kept> kept;
    std::optional<std::int64_t> context;
  };
  using Trails = std::list<Trail>;

  const Trail* trail(ConversationKey conversation) const;
  Trail& trail_for(ConversationKey conversation);
  void forget(Trails::iterator trail);
  void take_out(std::vector<Places::iterator>& places);
  void place(Trail& trail, const Fingerprint& prompt, std::size_t from);
  static std::optional<PromptBreak> find_break(const Trail& trail, const Fingerprint& prompt);

  std::size_t limit_;
  Trails trails_;  // the latest first
  std::unordered_map<ConversationKey, Trails::iterator> by_conversation_;
  Places places_;
};

}  // namespace lmw::routing
