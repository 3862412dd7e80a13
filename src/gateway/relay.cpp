#include "gateway/relay.hpp"

#include <utility>

#include <fmt/format.h>

#include "gateway/model_echo.hpp"
#include "wire/sse.hpp"
#include "wire/usage.hpp"

namespace lmw::gateway {

namespace {

// Token counts stand at the end of an answer; more than this of one that is not streamed is not kept to look
// for them.
constexpr std::size_t max_watched_body = 8u << 20;

// An error has a message near its beginning; more is not read to find it.
constexpr std::size_t max_error_body = 64u << 10;

constexpr auto cut_short = "the engine's answer was cut short";

bool is_event_stream(const wire::ResponseHead& head) {
  const auto type = head.headers.find("Content-Type");
  return head.status == 200 && type && type->starts_with("text/event-stream");
}

bool is_encoded(const wire::ResponseHead& head) {
  const auto encoding = head.headers.find("Content-Encoding");
  return encoding && !wire::equal_ignoring_case(*encoding, "identity");
}

void note_content(Progress& progress, bool streamed) {
  if (!progress.ok) return;
  if (auto on_content = std::exchange(progress.on_content, nullptr)) on_content(streamed);
}

// What has been seen of a body, to find its token counts at its end. A body that grows too large is
// forgotten.
class WatchedBody {
 public:
  void add(std::string_view piece) {
    whole_ = whole_ && seen_.size() + piece.size() <= max_watched_body;
    if (whole_) seen_ += piece;
    if (!whole_) std::string().swap(seen_);
  }
  wire::Usage usage(wire::Endpoint endpoint) const {
    return whole_ ? wire::usage_of_body(endpoint, seen_) : wire::Usage{};
  }

 private:
  std::string seen_;
  bool whole_ = true;
};

// The rest of an answer that is passed on as it comes, whatever it is. `piece` has come already.
net::awaitable<void> relay_rest(net::ServerConnection& client, Answer& answer, const RelayPlan& plan,
                                Progress& progress, std::string piece) {
  WatchedBody watched;
  for (bool more = true; more;) {
    if (!piece.empty()) note_content(progress, false);
    watched.add(piece);
    if (!co_await client.write(piece)) {
      progress.client_gone = true;
      co_return;
    }
    piece.clear();
    const auto read = co_await answer.connection->read_body(piece, plan.idle);
    if (!read) co_return;  // the length or the missing last chunk tells the client
    more = *read || !piece.empty();
  }
  if (progress.ok) progress.usage = watched.usage(plan.endpoint);
  progress.complete = co_await client.end();
  progress.client_gone = !progress.complete;
}

net::awaitable<void> relay_plain(net::ServerConnection& client, Answer& answer, RelayPlan plan,
                                 Progress& progress) {
  std::string first;
  if (!co_await answer.connection->read_body(first, plan.idle)) {
    co_await refuse(client, plan.family, {wire::ErrorKind::upstream, cut_short});
    co_return;
  }
  client.begin(std::move(answer.head), answer.connection->content_length());
  co_await relay_rest(client, answer, plan, progress, std::move(first));
}

// An answer whose model name is replaced: it must be read whole first. One that is too large for that keeps
// the name.
net::awaitable<void> relay_edited(net::ServerConnection& client, Answer& answer, RelayPlan plan,
                                  Progress& progress) {
  std::string body;
  for (bool more = true; more;) {
    const auto read = co_await answer.connection->read_body(body, plan.idle);
    if (!read) {
      co_await refuse(client, plan.family, {wire::ErrorKind::upstream, cut_short});
      co_return;
    }
    more = *read;
    if (body.size() > max_watched_body) {
      client.begin(std::move(answer.head), answer.connection->content_length());
      co_await relay_rest(client, answer, plan, progress, std::move(body));
      co_return;
    }
  }
  note_content(progress, false);
  if (progress.ok) progress.usage = wire::usage_of_body(plan.endpoint, body);
  echo_in_body(body, plan.echo->upstream, plan.echo->asked);
  progress.complete = co_await client.respond(std::move(answer.head), body);
  progress.client_gone = !progress.complete;
}

// Passes on the whole events that have come.
void collect_events(wire::SseSplitter& splitter, wire::StreamWatch& watch, const RelayPlan& plan,
                    std::string& out) {
  while (const auto item = splitter.next()) {
    if (!item->overlong && !watch.observe(item->event)) continue;
    const auto begin = out.size();
    out += item->event.raw;
    if (plan.echo && !item->overlong) echo_in_event(out, begin, plan.echo->upstream, plan.echo->asked);
  }
}

// The end of a stream that was cut short: an error event of ours, unless the client has all, or has half an
// event that was too long to hold back.
std::string closing_event(const wire::SseSplitter& splitter, const wire::StreamWatch& watch,
                          wire::Family family) {
  if (watch.end() == wire::StreamEnd::complete || splitter.in_overlong()) return {};
  return wire::error_event(wire::ErrorKind::upstream, family, cut_short);
}

net::awaitable<void> relay_events(net::ServerConnection& client, Answer& answer, RelayPlan plan,
                                  Progress& progress) {
  if (!client.is_answering()) {
    answer.head.headers.remove("Content-Length");
    client.begin(std::move(answer.head), std::nullopt);
  }
  wire::SseSplitter splitter;
  wire::StreamWatch watch(plan.endpoint, plan.hide_usage);
  std::string piece, out;
  for (bool more = true, first = true; more; first = false) {
    piece.clear();
    const auto read = co_await answer.connection->read_body(piece, plan.idle);
    if (!read && first && piece.empty()) {
      co_await refuse(client, plan.family, {wire::ErrorKind::upstream, cut_short});
      co_return;
    }
    more = read.value_or(false);
    out.clear();
    splitter.feed(piece);
    collect_events(splitter, watch, plan, out);
    // Without a length or a last chunk, an end before the stream's own end is a death like any other.
    const bool cut =
        !read || (!more && answer.connection->until_close() && watch.end() == wire::StreamEnd::open);
    if (cut) {
      out += closing_event(splitter, watch, plan.family);
    } else if (!more) {
      splitter.finish();
      collect_events(splitter, watch, plan, out);
      out += splitter.rest();
    }
    if (watch.has_content()) note_content(progress, true);
    progress.usage = watch.usage();
    progress.content_events = watch.content_events();
    if (!out.empty()) plan.heartbeat.passing_on(!splitter.in_overlong());
    if (watch.end() != wire::StreamEnd::open) plan.heartbeat.stop();
    if ((first || !out.empty()) && !co_await client.write(out)) {
      progress.client_gone = true;
      co_return;
    }
    // All content has been passed on: a client that leaves now, as Codex does, has its answer.
    progress.complete = watch.end() == wire::StreamEnd::complete;
    if (cut && splitter.in_overlong()) co_return;
  }
  co_await client.end();
}

// The client has been promised a stream, and the engine answers with something else: most likely an error.
net::awaitable<void> relay_as_error(net::ServerConnection& client, Answer& answer, RelayPlan plan,
                                    Progress& progress) {
  progress.ok = false;
  const int status = answer.head.status;
  std::string body;
  for (bool more = !is_encoded(answer.head); more && body.size() < max_error_body;) {
    more = (co_await answer.connection->read_body(body, plan.idle)).value_or(false);
  }
  auto message = wire::message_of_error(body);
  if (message.empty()) message = fmt::format("the engine answered with status {} and no stream", status);
  progress.complete =
      co_await refuse(client, plan.family, {wire::kind_of_status(status), std::move(message)});
  progress.client_gone = !progress.complete;
}

}  // namespace

net::awaitable<void> relay(net::ServerConnection& client, Answer& answer, RelayPlan plan,
                           Progress& progress) {
  progress.ok = answer.head.status < 400;
  wire::remove_hop_by_hop(answer.head.headers);
  if (is_event_stream(answer.head) && !is_encoded(answer.head)) {
    co_await relay_events(client, answer, std::move(plan), progress);
    co_return;
  }
  plan.heartbeat.stop();
  if (client.is_answering()) {
    co_await relay_as_error(client, answer, std::move(plan), progress);
  } else if (is_encoded(answer.head)) {
    plan.echo.reset();
    co_await relay_plain(client, answer, std::move(plan), progress);
  } else if (plan.echo) {
    co_await relay_edited(client, answer, std::move(plan), progress);
  } else {
    co_await relay_plain(client, answer, std::move(plan), progress);
  }
}

}  // namespace lmw::gateway
