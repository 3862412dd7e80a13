// Token counts as the engine reports them, in each endpoint's shapes, streamed or not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wire/api.hpp"
#include "wire/sse.hpp"

namespace lmw::wire {

// Absent is not zero: engines that don't report a count leave it out.
struct Usage {
  std::optional<std::int64_t> prompt;  // all prompt tokens, cached ones included
  std::optional<std::int64_t> cached;  // of these, found in the prefix cache
  std::optional<std::int64_t> completion;
  friend bool operator==(const Usage&, const Usage&) = default;
};

// Of a whole response body that is JSON. Nothing when it has no usage or can't be read; a count that is null,
// negative, no integer or beyond reason is unknown, and so are more cached tokens than prompt tokens.
Usage usage_of_body(Endpoint endpoint, std::string_view body);

// How a stream stands, as far as its events tell. The first of complete and error stays.
enum class StreamEnd { open, complete, error };

// Watches the events of one streamed answer. Where usage comes more than once the last counts. Events that
// can't matter are not parsed: of a long answer that is all but the first few and the last.
class StreamWatch {
 public:
  StreamWatch(Endpoint endpoint, bool usage_not_asked) : endpoint_(endpoint), hide_usage_(usage_not_asked) {}

  // Takes an event; false when it must not reach the client (the usage event that only we asked for).
  bool observe(const SseEvent& event);

  // A token of the answer has passed (heartbeats and openers don't count).
  bool has_content() const { return content_events_ > 0; }
  // How many events with content have passed. About as many as tokens: engines send one or a few in each.
  std::int64_t content_events() const { return content_events_; }
  StreamEnd end() const { return end_; }
  const Usage& usage() const { return usage_; }

 private:
  bool observe_openai(const SseEvent& event);
  void observe_anthropic(const SseEvent& event);
  void observe_responses(const SseEvent& event);
  void finish(StreamEnd end);
  void take(const Usage& seen);

  Endpoint endpoint_;
  bool hide_usage_;
  std::int64_t content_events_ = 0;
  StreamEnd end_ = StreamEnd::open;
  Usage usage_;
};

}  // namespace lmw::wire
