// Makes the fingerprint of a request's prompt while its JSON is read. Two prompts that an engine reads alike
// have equal hashes, though their JSON differs: cache marks, item ids and states are left out, a list of text
// parts counts as their text, and the order of members doesn't matter. Internal: include it from .cpp files
// only.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/fingerprint.hpp"
#include "wire/ondemand.hpp"

namespace lmw::wire {

// The members of a request may come in any order. One that comes again replaces what came before.
class FingerprintReader {
 public:
  // The system prompt stands beside the messages: `system` (Anthropic), `instructions` (Responses). `text` is
  // the inside of a JSON string.
  void start_system();
  void add_system(std::string_view text);
  // Each of these reads the value to its end.
  simdjson::error_code read_tools(ondemand::value& value);
  // `messages`, or the `input` of Responses: a list of messages or items; a string is one user message.
  simdjson::error_code read_messages(ondemand::value& value);
  // `prompt` of completions, cut into pieces that take the place of messages: of 256 bytes in its first 2
  // KiB, of 2 KiB behind. A last one that is smaller is left out, unless it is the only one.
  simdjson::error_code read_prompt(ondemand::value& value);

  // Of the last list that was read.
  std::size_t elements() const { return elements_; }

  Fingerprint result() &&;

 private:
  // The last message that was read, for its tails.
  struct Last {
    std::uint64_t before = 0;  // identity of the messages before it
    std::uint64_t frame = 0;   // of all of it but its text
    std::string_view text;     // "": it has more than one text, or none
  };

  simdjson::error_code add_message(ondemand::value& value);
  void add_user_text(std::string_view text);
  void append(std::uint64_t exact, std::uint64_t identity);
  void start_messages();
  void find_tails();

  Fingerprint print_;
  Fingerprint::Part leading_system_;  // of system messages at the head of the list
  std::size_t elements_ = 0;
  Last last_;
};

}  // namespace lmw::wire
