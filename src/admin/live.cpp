#include "admin/live.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "admin/cache_json.hpp"
#include "admin/conversation_json.hpp"
#include "admin/routing_json.hpp"
#include "base/version.hpp"

namespace lmw::admin {

namespace {

using nlohmann::json;

constexpr auto interval = std::chrono::seconds(1);

std::string event(std::string_view name, const json& data) {
  return fmt::format("event: {}\ndata: {}\n\n", name,
                     data.dump(-1, ' ', false, json::error_handler_t::replace));
}

net::awaitable<void> send_steps(net::ServerConnection& client, LiveFeed& feed, const EngineClock& clock) {
  wire::ResponseHead head;
  head.status = 200;
  head.headers.add("Content-Type", "text/event-stream");
  head.headers.add("Cache-Control", "no-store");
  head.headers.add("X-Content-Type-Options", "nosniff");
  client.begin(std::move(head), std::nullopt);
  net::asio::steady_timer timer(co_await net::asio::this_coro::executor);
  std::string step = "retry: 1000\n\n" + feed.next(clock.now());
  while (co_await client.write(step)) {
    timer.expires_after(interval);
    co_await timer.async_wait(net::asio::use_awaitable);
    step = feed.next(clock.now());
  }
}

}  // namespace

std::string LiveFeed::next(Instant now) {
  json state = models_json(directory_);
  state.update(engines_json(directory_, now));
  state["version"] = version;
  json routing = json::array();
  for (const auto& pool : directory_.pools()) routing.push_back(routing_json(*pool, now));
  state["routing"] = std::move(routing);
  state["in_flight"] = in_flight_json(in_flight_, now);
  std::string out = event("state", state);
  for (const auto& pool : directory_.pools()) {
    auto& sent = sent_[pool->name];
    out += conversations(*pool, sent, now);
    out += breaks(*pool, sent, now);
    sent.any = true;
    sent.at = now;
  }
  return out;
}

std::string LiveFeed::conversations(const gateway::Pool& pool, Sent& sent, Instant now) const {
  const auto& table = pool.router.table();
  std::size_t fresh = 0;
  json changed = json::array();
  const auto collect = [&](bool all) {
    table.for_each([&](const routing::Conversation& conversation) {
      if ((!all && conversation.last_active < sent.at) || changed.size() >= max_conversations) return false;
      fresh += conversation.first_seen >= sent.at;
      changed.push_back(conversation_json(conversation, pool.router.replicas(), now));
      return true;
    });
  };
  collect(!sent.any);
  // Some have been forgotten, and the client can't know which; beyond the limit it forgets by itself.
  const bool gone = sent.any && sent.conversations + fresh > table.size() && table.size() < max_conversations;
  if (gone) {
    changed.clear();
    collect(true);
  }
  const bool reset = !sent.any || gone;
  sent.conversations = table.size();
  if (!reset && changed.empty()) return "";
  return event("conversations", {{"model", pool.name},
                                 {"reset", reset},
                                 {"total", table.size()},
                                 {"conversations", std::move(changed)}});
}

std::string LiveFeed::breaks(const gateway::Pool& pool, Sent& sent, Instant now) const {
  // Their ages change always: what counts is that one was added, or that what one has lost is an hour ago.
  std::uint64_t turns = 0;
  std::int64_t lost = 0;
  for (const auto& entry : pool.router.prompt_breaks().entries()) {
    turns += entry.turns;
    lost += entry.lost_last_hour(now);
  }
  const auto mark = fmt::format("{} {} {}", pool.router.prompt_breaks().entries().size(), turns, lost);
  if (sent.breaks == mark) return "";
  sent.breaks = mark;
  auto data = prompt_breaks_json(pool.router.prompt_breaks(), now);
  data["model"] = pool.name;
  return event("prompt_breaks", data);
}

net::awaitable<void> stream_live(net::ServerConnection& client, LiveFeed feed, const EngineClock& clock) {
  using namespace boost::asio::experimental::awaitable_operators;
  co_await (send_steps(client, feed, clock) || client.until_gone());
  client.close();
}

}  // namespace lmw::admin
