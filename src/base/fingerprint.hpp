// What a prompt looks like, in hashes: enough to see which earlier prompt it continues and where two of them
// first differ, and no text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lmw {

struct Fingerprint {
  // Beyond these the rest of a prompt is not looked at.
  static constexpr std::size_t max_messages = 4096;
  static constexpr std::size_t max_tails = 16;
  // The first messages are kept in pieces too.
  static constexpr std::size_t messages_in_pieces = 4;

  // The head of a text, cut into pieces, to find where it changes: 64 bytes each, 512 behind the first 4 KiB.
  struct Piece {
    std::uint32_t end = 0;  // in bytes of the text
    std::uint32_t hash = 0;
  };
  static constexpr std::size_t max_pieces = 128;
  static constexpr std::size_t piece_bytes = 64;
  static constexpr std::size_t far_piece_bytes = 512;
  static constexpr std::size_t far = 4096;

  struct Part {
    std::uint64_t hash = 0;  // 0: there is none
    std::vector<Piece> pieces;
  };
  Part system;
  Part tools;

  struct Message {
    // Of this message and all before it, as the engine reads them.
    std::uint64_t exact = 0;
    // The same of what tells conversations apart: without system prompts, and without the reminder and
    // environment blocks that clients put beside the user's words. Where a message adds nothing to it, it is
    // that of the message before; 0 where none has.
    std::uint64_t identity = 0;
    std::vector<Piece> pieces;
  };
  std::vector<Message> messages;
  bool has_answers = false;  // one that is neither the user's nor the system's: an answer, a tool's result

  // Identities that this prompt may turn out to have when the client sends it as history: some clients add a
  // reminder to the last message, which is gone one turn later. One for each paragraph at which it may be
  // cut.
  std::vector<std::uint64_t> tails;

  // Of the whole prompt; 0: nothing in it tells it from others.
  std::uint64_t identity() const { return messages.empty() ? 0 : messages.back().identity; }
};

}  // namespace lmw
