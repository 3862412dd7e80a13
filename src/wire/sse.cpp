#include "wire/sse.hpp"

#include <algorithm>
#include <cstring>

namespace lmw::wire {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// The first LF or CR in text[from, to), else `to`. memchr is many times faster than a loop over the bytes;
// the windows keep it linear where only one of the two ever occurs, and the other would be looked for up to
// the end each time.
std::size_t find_line_end(std::string_view text, std::size_t from, std::size_t to) {
  constexpr std::size_t window = 512;
  while (from < to) {
    const std::size_t size = std::min(window, to - from);
    const char* begin = text.data() + from;
    const auto* lf = static_cast<const char*>(std::memchr(begin, '\n', size));
    const std::size_t before = lf ? static_cast<std::size_t>(lf - begin) : size;
    if (const auto* cr = static_cast<const char*>(std::memchr(begin, '\r', before))) {
      return from + static_cast<std::size_t>(cr - begin);
    }
    if (lf) return from + before;
    from += size;
  }
  return to;
}

// Behind the line end at `at`.
std::size_t skip_line_end(std::string_view text, std::size_t at) {
  return at + (text.substr(at, 2) == "\r\n" ? 2 : 1);
}

}  // namespace

void SseSplitter::feed(std::string_view bytes) {
  // Moves what is left to the front once at least as much has been consumed, so that no byte is moved often.
  if (begin_ > 0 && begin_ * 2 >= buffer_.size()) {
    buffer_.erase(0, begin_);
    scan_ -= begin_;
    begin_ = 0;
  }
  buffer_.append(bytes);
}

std::optional<SseSplitter::Item> SseSplitter::next() {
  const std::size_t stop = begin_ + limit_;
  while (scan_ < stop) {
    const std::size_t to = std::min(stop, buffer_.size());
    const std::size_t at = find_line_end(buffer_, scan_, to);
    in_line_ = in_line_ || at > scan_;
    scan_ = at;
    if (at == to) break;
    // The LF that makes it one line end may be still to come.
    if (buffer_[at] == '\r' && at + 1 == buffer_.size() && !finished_) return std::nullopt;

    const bool only_mark = at_start_ && rest().substr(0, at - begin_) == byte_order_mark;
    const bool blank = !in_line_ || only_mark;
    scan_ = skip_line_end(buffer_, at);
    in_line_ = false;
    if (blank) return take(scan_, true);
  }
  if (scan_ < stop) return std::nullopt;
  return take(scan_, false);
}

SseSplitter::Item SseSplitter::take(std::size_t end, bool complete) {
  const std::string_view raw = rest().substr(0, end - begin_);
  const bool overlong = in_overlong_ || !complete || raw.size() > limit_;
  Item item{{.name = {}, .data = {}, .raw = raw}, overlong};
  if (!overlong) item.event = read(raw);
  begin_ = end;
  in_overlong_ = !complete;
  at_start_ = false;
  return item;
}

SseEvent SseSplitter::read(std::string_view raw) {
  SseEvent event{.name = {}, .data = {}, .raw = raw};
  std::size_t data_lines = 0;
  std::size_t at = at_start_ && raw.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  while (at < raw.size()) {
    const std::size_t end = find_line_end(raw, at, raw.size());
    const std::string_view line = raw.substr(at, end - at);
    at = end < raw.size() ? skip_line_end(raw, end) : end;

    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string_view field = line.substr(0, colon);
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (field == "event") event.name = value;
    if (field != "data") continue;
    ++data_lines;
    if (data_lines == 1) {
      event.data = value;
      continue;
    }
    if (data_lines == 2) data_.assign(event.data);
    data_.append(1, '\n').append(value);
    event.data = data_;
  }
  return event;
}

}  // namespace lmw::wire
