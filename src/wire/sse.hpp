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

// Cuts a stream into events. What it is fed comes out again as `raw` of consecutive events, byte for byte, whatever the
// cuts between the pieces. Memory is bounded: an event larger than the limit is passed on in parts as `overlong`.
class SseSplitter {
 public:
  explicit SseSplitter(std::size_t max_event_bytes = 1024 * 1024) : limit_(max_event_bytes) {}

  void feed(std::string_view bytes);

  struct Item {
    SseEvent event;
    bool overlong = false;  // part of an event over the limit: only `raw` is set
  };
  // The next complete item, if there is one. Its views are valid until the next call of feed() or next().
  std::optional<Item> next();

  // Bytes of the unfinished event; at the end of the stream what was left without a blank line.
  std::string_view rest() const;
  // Whether the stream stands between two events, so that an event of our own may follow.
  bool between_events() const { return rest().empty(); }

 private:
  std::size_t limit_;
  std::string buffer_;
  std::string data_;
  std::size_t begin_ = 0;  // start of the unfinished event in buffer_
  std::size_t scan_ = 0;   // up to here it has no blank line
  bool in_overlong_ = false;
  bool at_start_ = true;
};

}  // namespace lmw::wire
