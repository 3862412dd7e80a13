#include "gateway/heartbeat.hpp"

#include <boost/asio/read_until.hpp>
#include <fmt/format.h>

#include "net/net_fixture.hpp"
#include "wire/ping.hpp"

namespace lmw::gateway {
namespace {

using namespace std::chrono_literals;
using net::asio::awaitable;

TEST(Silence, LastsTooLongAfterAnIntervalWithoutABreak) {
  const Silence::Time start{};
  Silence silence(45s, start);
  EXPECT_EQ(silence.due(), start + 45s);
  silence.break_at(start + 44s);
  EXPECT_EQ(silence.due(), start + 89s);
  silence.end();
  EXPECT_EQ(silence.due(), std::nullopt);
  silence.break_at(start + 100s);
  EXPECT_EQ(silence.due(), std::nullopt);
}

TEST(Silence, WithoutAnIntervalNeverLastsTooLong) {
  EXPECT_EQ(Silence(0s, Silence::Time()).due(), std::nullopt);
}

class HeartbeatTest : public net::NetTest {
 protected:
  using Work = std::function<awaitable<void>(net::ServerConnection&, Heartbeat&)>;

  // Serves one stream that beats each millisecond while `work` is awaited.
  void beat(wire::Family family, Work work, net::Timeout interval = 1ms) {
    serve([this, family, interval, work = std::move(work)](net::ServerConnection& client,
                                                           wire::RequestHead) -> awaitable<void> {
      Heartbeat heartbeat(context_.get_executor(), client, family, interval);
      co_await work(client, heartbeat);
    });
  }

  // Asks, reads until `last` has come, and leaves.
  awaitable<std::string> read_until(std::string last) {
    net::tcp::socket socket(context_);
    co_await socket.async_connect(server_endpoint(), net::asio::use_awaitable);
    const std::string request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    co_await net::asio::async_write(socket, net::asio::buffer(request), net::asio::use_awaitable);
    std::string answer;
    co_await net::asio::async_read_until(socket, net::asio::dynamic_buffer(answer), last,
                                         net::asio::use_awaitable);
    co_return answer;
  }

  awaitable<void> many_beats() {
    net::asio::steady_timer timer(context_, 30ms);
    co_await timer.async_wait(net::asio::use_awaitable);
  }
};

std::string as_chunk(std::string_view text) { return fmt::format("{:x}\r\n{}\r\n", text.size(), text); }

TEST_F(HeartbeatTest, SendsAHeadAndThenThePingsOfTheFamily) {
  for (const auto family : {wire::Family::openai, wire::Family::anthropic, wire::Family::responses}) {
    beat(family, [](net::ServerConnection& client, Heartbeat&) { return client.until_gone(); });
    run([&]() -> awaitable<void> {
      const auto ping = as_chunk(wire::ping_event(family));
      const auto answer = co_await read_until(ping + ping + ping);
      EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream")) << answer;
      EXPECT_NE(answer.find("\r\n\r\n" + ping + ping + ping), std::string::npos) << answer;
    });
    context_.restart();
  }
}

TEST_F(HeartbeatTest, SendsTheHeadThatIsWaitingRatherThanItsOwn) {
  beat(wire::Family::anthropic, [](net::ServerConnection& client, Heartbeat&) {
    client.begin(net::ok(), std::nullopt);
    return client.until_gone();
  });
  run([&]() -> awaitable<void> {
    const auto answer = co_await read_until("ping\n");
    EXPECT_EQ(answer.find("Content-Type"), std::string::npos) << answer;
  });
}

TEST_F(HeartbeatTest, KeepsQuietInsideAnEventAndOnceItIsStopped) {
  beat(wire::Family::anthropic,
       [this](net::ServerConnection& client, Heartbeat& heartbeat) -> awaitable<void> {
         client.begin(net::ok(), std::nullopt);
         co_await client.write("data: a");
         heartbeat.passing_on(false);
         co_await many_beats();
         co_await client.write("b\n\n");
         heartbeat.passing_on(true);
         heartbeat.stop();
         co_await many_beats();
         co_await client.end();
       });
  run([&]() -> awaitable<void> {
    const auto fetched = co_await net::fetch(origin_, "/", {});
    EXPECT_EQ(fetched.value().body, "data: ab\n\n");
  });
}

TEST_F(HeartbeatTest, WithoutAnIntervalOrAfterItsEndThereIsNone) {
  const auto answer_late = [this](net::ServerConnection& client, Heartbeat&) -> awaitable<void> {
    co_await many_beats();
    co_await client.respond(net::ok(), "late");
  };
  beat(wire::Family::anthropic, answer_late, 0ms);
  run([&]() -> awaitable<void> { EXPECT_EQ((co_await net::fetch(origin_, "/", {})).value().body, "late"); });
  context_.restart();
  serve([&](net::ServerConnection& client, wire::RequestHead) -> awaitable<void> {
    std::optional<Heartbeat> heartbeat(std::in_place, context_.get_executor(), client,
                                       wire::Family::anthropic, 1ms);
    heartbeat.reset();
    co_await many_beats();
    co_await client.respond(net::ok(), "late");
  });
  run([&]() -> awaitable<void> { EXPECT_EQ((co_await net::fetch(origin_, "/", {})).value().body, "late"); });
}

}  // namespace
}  // namespace lmw::gateway
