// Server-sent events read the slow way, by the letter of WHATWG HTML §9.2.6, to compare with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lmw::fuzz {

struct PlainEvent {
  std::string name;
  std::string data;
  friend bool operator==(const PlainEvent&, const PlainEvent&) = default;
};

inline std::string with_plain_line_ends(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && i > 0 && text[i - 1] == '\r') continue;
    result += text[i] == '\r' ? '\n' : text[i];
  }
  return result;
}

// The events that are complete. Ones without data are events too, though a browser would not show them.
inline std::vector<PlainEvent> events_by_the_book(std::string_view stream) {
  if (stream.starts_with("\xef\xbb\xbf")) stream.remove_prefix(3);
  const std::string text = with_plain_line_ends(stream);
  std::vector<PlainEvent> events;
  PlainEvent event;
  bool has_data = false;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != text.npos; at = end + 1) {
    const std::string line = text.substr(at, end - at);
    if (line.empty()) {
      events.push_back(event);
      event = {};
      has_data = false;
      continue;
    }
    const auto colon = line.find(':');
    const auto field = line.substr(0, colon);
    auto value = colon == line.npos ? std::string() : line.substr(colon + 1);
    if (value.starts_with(' ')) value.erase(0, 1);
    if (field == "event") event.name = value;
    if (field == "data") {
      if (has_data) event.data += '\n';
      event.data += value;
      has_data = true;
    }
  }
  return events;
}

}  // namespace lmw::fuzz
