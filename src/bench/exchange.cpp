#include "bench/exchange.hpp"

#include <array>

#include <fmt/format.h>

namespace lmw::bench {

namespace {

constexpr auto patience = std::chrono::hours(1);
constexpr std::size_t max_refusal_bytes = 2000;  // that are kept of one

net::awaitable<std::string> read_refusal(net::ClientConnection& connection, int status) {
  std::string body;
  while (body.size() < max_refusal_bytes) {
    if (!(co_await connection.read_body(body, patience)).value_or(false)) break;
  }
  co_return fmt::format("status {}: {}", status, body.substr(0, max_refusal_bytes));
}

net::awaitable<void> read_stream(net::ClientConnection& connection, wire::Endpoint endpoint,
                                 const EngineClock& clock, const std::function<void()>& first_came,
                                 Answer& answer) {
  wire::SseSplitter splitter;
  wire::StreamWatch watch(endpoint, false);
  std::string bytes;
  for (bool more = true; more;) {
    bytes.clear();
    more = (co_await connection.read_body(bytes, patience)).value_or(false);
    splitter.feed(bytes);
    const auto had = watch.content_events();
    while (const auto item = splitter.next()) {
      watch.observe(item->event);
      append_text(endpoint, item->event, answer.text);
    }
    if (watch.content_events() == had) continue;
    answer.last = clock.now();
    if (answer.first) continue;
    answer.first = answer.last;
    if (first_came) first_came();
  }
  answer.usage = watch.usage();
  if (watch.end() != wire::StreamEnd::complete) answer.failure = "the stream ended before its last event";
}

}  // namespace

net::awaitable<Answer> ask(net::ClientConnection& connection, wire::Endpoint endpoint,
                           const wire::RequestHead& head, const std::string& body, const EngineClock& clock,
                           std::function<void()> first_came) {
  Answer answer;
  const std::array<std::string_view, 1> pieces{body};
  const auto sent = co_await connection.send(head, pieces, patience);
  auto response = co_await connection.read_head(patience);  // may have come though not all was sent
  if (!response) {
    answer.failure = net::describe(sent ? response.error() : sent.error());
  } else if (response->status != 200) {
    answer.failure = co_await read_refusal(connection, response->status);
  } else {
    answer.headers = std::move(response->headers);
    co_await read_stream(connection, endpoint, clock, first_came, answer);
  }
  co_return answer;
}

}  // namespace lmw::bench
