// A stream of events, cut into them and watched, as the relay does. The choice is the endpoint; a capital
// letter makes the splitter's limit so small that events exceed it.
#include "wire/sse.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include <nlohmann/json.hpp>

#include "input.hpp"
#include "sse_by_the_book.hpp"
#include "target.hpp"
#include "wire/usage.hpp"

namespace lmw::fuzz {
namespace {

struct Item {
  std::string name, data, raw;
  bool overlong = false;
  friend bool operator==(const Item&, const Item&) = default;
};

// All that is known at the end of a stream.
struct Reading {
  std::vector<Item> items;
  std::vector<bool> shown;
  std::string rest;
  bool in_overlong = false;
  bool has_content = false;
  wire::StreamEnd end = wire::StreamEnd::open;
  wire::Usage usage;
  friend bool operator==(const Reading&, const Reading&) = default;
};

wire::Endpoint endpoint_of(char choice) {
  switch (std::tolower(static_cast<unsigned char>(choice))) {
    case 'm':
      return wire::Endpoint::messages;
    case 'r':
      return wire::Endpoint::responses;
    case 'p':
      return wire::Endpoint::completions;
    default:
      return wire::Endpoint::chat_completions;
  }
}

std::size_t limit_of(char choice) { return std::isupper(static_cast<unsigned char>(choice)) ? 40 : 1 << 20; }

class Observer {
 public:
  Observer(char choice, bool hide)
      : limit_(limit_of(choice)), splitter_(limit_), watch_(endpoint_of(choice), hide) {}

  void feed(std::string_view piece) {
    splitter_.feed(piece);
    take_items();
    require(splitter_.rest().size() <= limit_ + 1, "memory is bounded");
  }

  Reading finish() {
    splitter_.finish();
    take_items();
    result_.rest = splitter_.rest();
    result_.in_overlong = splitter_.in_overlong();
    result_.has_content = watch_.has_content();
    result_.end = watch_.end();
    result_.usage = watch_.usage();
    require(splitter_.between_events() == (result_.rest.empty() && !result_.in_overlong), "between events");
    return std::move(result_);
  }

 private:
  void take_items() {
    while (const auto item = splitter_.next()) {
      const auto& [name, data, raw] = item->event;
      require(!raw.empty() && raw.size() <= limit_ + 2, "an item is no larger than the limit");
      require(!item->overlong || (name.empty() && data.empty()), "a part of an event has only bytes");
      result_.items.push_back({std::string(name), std::string(data), std::string(raw), item->overlong});
      result_.shown.push_back(item->overlong || watch_.observe(item->event));
    }
  }

  std::size_t limit_;
  wire::SseSplitter splitter_;
  wire::StreamWatch watch_;
  Reading result_;
};

Reading read(const Input& input, const std::vector<Bytes>& pieces, bool hide) {
  Observer observer(input.choice, hide);
  for (const auto& piece : pieces) observer.feed(view(piece));
  return observer.finish();
}

void check_bytes(const Reading& reading, std::string_view text) {
  std::string joined;
  for (const auto& item : reading.items) joined += item.raw;
  require(joined + reading.rest == text, "every byte comes out again");
}

void check_events(const Reading& reading, std::string_view text) {
  std::vector<PlainEvent> events;
  for (const auto& item : reading.items) events.push_back({item.name, item.data});
  require(events == events_by_the_book(text), "the events are those of the standard");
}

// Only a usage event may be hidden: it has no choices, and says how many tokens there were.
void check_hidden(const Item& item, wire::Endpoint endpoint) {
  require(wire::route_of(endpoint).family == wire::Family::openai,
          "only OpenAI's usage has an event of its own");
  const auto data = nlohmann::json::parse(item.data, nullptr, false);
  if (data.is_discarded()) return;  // what stands behind a usage that is read need not be JSON
  require(data.at("choices").empty() && data.at("usage").is_object(), "only a usage event is hidden");
}

void check_usage(const wire::Usage& usage) {
  for (const auto& count : {usage.prompt, usage.cached, usage.completion})
    require(count.value_or(0) >= 0, "no count is negative");
  require(!usage.cached || (usage.prompt && *usage.cached <= *usage.prompt),
          "the cached are part of the prompt");
}

}  // namespace

void run(std::string_view bytes) {
  const Input input(bytes);
  const auto reading = read(input, whole(input.text), true);
  require(read(input, input.pieces(), true) == reading, "the cuts make no difference");
  require(read(input, single_bytes(input.text), true) == reading, "single bytes make no difference");
  check_bytes(reading, input.text);
  check_usage(reading.usage);
  const bool overlong = std::ranges::any_of(reading.items, &Item::overlong);
  if (!overlong && !reading.in_overlong) check_events(reading, input.text);
  for (std::size_t i = 0; i < reading.items.size(); ++i)
    if (!reading.shown[i]) check_hidden(reading.items[i], endpoint_of(input.choice));

  auto open = read(input, whole(input.text), false);
  require(std::ranges::all_of(open.shown, std::identity()), "nothing is hidden from a client that has asked");
  open.shown = reading.shown;
  require(open == reading, "hiding changes nothing else");
}

}  // namespace lmw::fuzz
