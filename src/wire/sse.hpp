// Server-sent events, read as they pass (WHATWG HTML §9.2.6). Lines end in LF, CRLF or CR; a BOM may lead.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lmw::wire {

struct SseEvent {
  std::string_view name;  // "" when the event has no `event:` field
  std::string_view data;  // its `data:` lines joined by LF; "" when it has none (a comment or a lone field)
  std::string_view raw;   // the exact bytes of the event, its blank line included
};

// Cuts a stream into events. What it is fed comes out again as `raw` of consecutive items, byte for byte, and
// the items are the same whatever the cuts between the pieces. Memory is bounded by the limit and the piece
// last fed: an event larger than the limit is passed on as `overlong` parts of that size.
class SseSplitter {
 public:
  explicit SseSplitter(std::size_t max_event_bytes = 1u << 20)
      : limit_(max_event_bytes > 0 ? max_event_bytes : 1) {}

  void feed(std::string_view bytes);

  // The stream has ended: an event whose blank line ends in CR no longer waits for a LF that may belong to
  // it.
  void finish() { finished_ = true; }

  struct Item {
    SseEvent event;
    bool overlong = false;  // part of an event over the limit: only `raw` is set
  };
  // The next complete item, if there is one. Its views are valid until the next call of feed() or next().
  // Call it until it has none before feeding again.
  std::optional<Item> next();

  // Bytes of the unfinished event; at the end of the stream what was left without a blank line.
  std::string_view rest() const { return std::string_view(buffer_).substr(begin_); }
  // Whether the stream stands between two events, so that an event of our own may follow.
  bool between_events() const { return rest().empty() && !in_overlong_; }
  // Whether part of an event over the limit has come out, and its end has not.
  bool in_overlong() const { return in_overlong_; }

 private:
  Item take(std::size_t end, bool complete);
  SseEvent read(std::string_view raw);

  std::size_t limit_;
  std::string buffer_;
  std::string data_;       // joined lines, where an event has several
  std::size_t begin_ = 0;  // start of the unfinished event in buffer_
  std::size_t scan_ = 0;   // up to here it has no blank line
  bool in_line_ = false;   // the line that scan_ stands in has bytes before it
  bool in_overlong_ = false;
  bool at_start_ = true;  // no item has come out yet
  bool finished_ = false;
};

}  // namespace lmw::wire
