#include "net/net_fixture.hpp"
#include "net/upstream_pool.hpp"

namespace lmw::net {
namespace {

using namespace std::chrono_literals;

// Answers with what it got.
awaitable<void> echo(ServerConnection& client, wire::RequestHead head) {
  auto body = co_await client.read_body();
  if (!body) co_return;
  const auto answer = head.method + ' ' + head.target + ' ' + *body;
  co_await client.respond(ok(), answer);
}

TEST_F(NetTest, AWholeExchangeCarriesTheBodyBothWays) {
  serve(echo);
  run([&]() -> awaitable<void> {
    const std::string body(300'000, 'x');
    const auto fetched = co_await fetch(origin_, "/a?b=c", {.method = "POST", .body = body});
    EXPECT_TRUE(fetched.has_value());
    if (!fetched) co_return;
    EXPECT_EQ(fetched->head.status, 200);
    EXPECT_EQ(fetched->body, "POST /a?b=c " + body);
  });
}

TEST_F(NetTest, AStreamedAnswerArrivesInItsPieces) {
  serve([](ServerConnection& client, wire::RequestHead) -> awaitable<void> {
    client.begin(ok(), std::nullopt);
    co_await client.write("one ");
    co_await client.write("");
    co_await client.write("two");
    co_await client.end();
  });
  run([&]() -> awaitable<void> {
    const auto fetched = co_await fetch(origin_, "/", {});
    EXPECT_EQ(fetched.value().body, "one two");
    EXPECT_TRUE(fetched->head.headers.has_token("Transfer-Encoding", "chunked"));
  });
}

TEST_F(NetTest, PipelinedRequestsAreAnsweredInOrder) {
  serve(echo);
  run([&]() -> awaitable<void> {
    const auto answer = co_await raw(
        "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_LT(answer.find("GET /1"), answer.find("GET /2"));
  });
}

TEST_F(NetTest, BadFramingIsAnsweredOnceAndTheConnectionCloses) {
  serve(echo);
  run([&]() -> awaitable<void> {
    const auto answer = co_await raw(
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabcGET / "
        "HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 "));
    EXPECT_EQ(answer.find("HTTP/1.1 200"), std::string::npos);
  });
}

TEST_F(NetTest, ABodyOverTheLimitIsRefusedBeforeItIsRead) {
  RequestFault fault{};
  serve(
      [&](ServerConnection& client, wire::RequestHead) -> awaitable<void> {
        const auto body = co_await client.read_body();
        EXPECT_FALSE(body.has_value());
        if (!body) fault = body.error();
        auto head = ok();
        head.status = 413;
        co_await client.respond(head, "too large");
      },
      {.body_bytes = 100});
  run([&]() -> awaitable<void> {
    const auto answer =
        co_await raw("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 101\r\n\r\n" + std::string(101, 'x'));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 413 "));
    EXPECT_EQ(fault, RequestFault::body_too_large);
  });
}

TEST_F(NetTest, AHeadThatComesTooSlowlyTimesOut) {
  serve(echo, {.head_timeout = 20ms});
  run([&]() -> awaitable<void> {
    const auto answer = co_await raw("GET / HTTP/1.1\r\nHo");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 408 "));
  });
}

TEST_F(NetTest, AHandlerSeesItsPeerLeave) {
  bool seen = false;
  serve([&](ServerConnection& client, wire::RequestHead) -> awaitable<void> {
    co_await client.until_gone();
    seen = true;
  });
  run([&]() -> awaitable<void> {
    {
      tcp::socket socket(context_);
      co_await socket.async_connect(server_endpoint(), asio::use_awaitable);
      co_await asio::async_write(socket, asio::buffer("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27),
                                 asio::use_awaitable);
    }
    asio::steady_timer timer(context_);
    for (int i = 0; i < 1000 && !seen; ++i) {
      timer.expires_after(1ms);
      co_await timer.async_wait(asio::use_awaitable);
    }
    EXPECT_TRUE(seen);
  });
}

TEST_F(NetTest, AnIdleConnectionIsReusedAndRetiredAfterItsTime) {
  serve(echo);
  run([&]() -> awaitable<void> {
    UpstreamPool pool(origin_, {.idle = 0ns});
    UpstreamPool keeping(origin_, {.idle = 1h});
    for (auto* each : {&pool, &keeping}) {
      auto lease = co_await each->acquire();
      wire::RequestHead head{"GET", "/", 1, {}};
      head.headers.add("Host", "x");
      EXPECT_TRUE(co_await lease->connection->send(head, {}, 1s));
      EXPECT_TRUE(co_await lease->connection->read_head(1s));
      std::string body;
      while (co_await lease->connection->read_body(body, 1s) == true) {
      }
      each->release(std::move(lease->connection));
      EXPECT_EQ(each->idle_count(), 1U);
    }
    EXPECT_FALSE((co_await pool.acquire())->reused);
    auto lease = co_await keeping.acquire();
    EXPECT_TRUE(lease->reused);
    // What ends after the pool was closed must not stay in it: its timer would keep the context running.
    keeping.close();
    keeping.release(std::move(lease->connection));
    EXPECT_EQ(keeping.idle_count(), 0U);
  });
}

TEST_F(NetTest, AnAnswerThatIsCutShortIsAFault) {
  serve([](ServerConnection& client, wire::RequestHead) -> awaitable<void> {
    client.begin(ok(), 10);
    co_await client.write("half");
    client.close();
  });
  run([&]() -> awaitable<void> {
    const auto fetched = co_await fetch(origin_, "/", {});
    EXPECT_FALSE(fetched.has_value());
  });
}

TEST_F(NetTest, ConnectingToAClosedPortIsRefused) {
  serve(echo);
  const auto origin = origin_;
  server_->stop();
  run([&]() -> awaitable<void> {
    const auto connection = co_await ClientConnection::connect(origin, 1s);
    EXPECT_EQ(connection.error(), UpstreamFault::refused);
  });
}

TEST_F(NetTest, AFetchIsBoundedInTimeAndSize) {
  serve([](ServerConnection& client, wire::RequestHead head) -> awaitable<void> {
    if (head.path() == "/hang") {
      co_await client.until_gone();
    } else {
      const std::string body(1000, 'x');
      co_await client.respond(ok(), body);
    }
  });
  run([&]() -> awaitable<void> {
    EXPECT_FALSE((co_await fetch(origin_, "/hang", {.timeout = 20ms})).has_value());
    EXPECT_FALSE((co_await fetch(origin_, "/large", {.max_body = 999})).has_value());
    EXPECT_TRUE((co_await fetch(origin_, "/large", {.max_body = 1000})).has_value());
  });
}

}  // namespace
}  // namespace lmw::net
