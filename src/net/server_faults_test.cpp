#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include "net/net_fixture.hpp"

namespace lmw::net {
namespace {

awaitable<void> fail(ServerConnection&, wire::RequestHead) {
  throw std::runtime_error("boom");
  co_return;  // makes it a coroutine
}

std::string post(std::string_view path, std::string_view more = "") {
  return fmt::format("POST {} HTTP/1.1\r\nHost: x\r\n{}Content-Length: 2\r\n\r\n{{}}", path, more);
}

TEST_F(NetTest, AHandlerThatThrowsIsAnsweredForInTheFamilyOfThePathAndTold) {
  serve(fail);
  std::vector<std::string> told;
  server_->on_fault = [&](std::string_view path, std::string_view what) {
    told.push_back(fmt::format("{}: {}", path, what));
  };
  run([&]() -> awaitable<void> {
    const auto openai = co_await raw(post("/v1/responses?key=secret"));
    EXPECT_TRUE(openai.starts_with("HTTP/1.1 500 ")) << openai;
    EXPECT_NE(openai.find(R"({"error":{"message":)"), std::string::npos) << openai;
    EXPECT_EQ(openai.find("boom"), std::string::npos) << openai;
    const auto anthropic = co_await raw(post("/v1/messages"));
    EXPECT_TRUE(anthropic.starts_with("HTTP/1.1 500 ")) << anthropic;
    EXPECT_NE(anthropic.find(R"({"type":"error","error":{"type":"api_error")"), std::string::npos)
        << anthropic;
  });
  EXPECT_EQ(told, (std::vector<std::string>{"/v1/responses: boom", "/v1/messages: boom"}));
}

TEST_F(NetTest, AConnectionGoesOnAfterAHandlerThatHasReadItsRequestAndThrows) {
  serve([](ServerConnection& client, wire::RequestHead head) -> awaitable<void> {
    const auto body = co_await client.read_body();
    if (head.path() == "/boom") throw std::runtime_error("boom");
    const auto answer = "answer to " + body.value_or("");
    co_await client.respond(ok(), answer);
  });
  run([&]() -> awaitable<void> {
    const auto answers = co_await raw(post("/boom") + post("/", "Connection: close\r\n"));
    EXPECT_TRUE(answers.starts_with("HTTP/1.1 500 ")) << answers;
    EXPECT_NE(answers.find("answer to {}"), std::string::npos) << answers;
  });
}

TEST_F(NetTest, AnAnswerThatHasNotLeftYetIsReplacedByTheError) {
  serve([](ServerConnection& client, wire::RequestHead) -> awaitable<void> {
    client.begin(ok(), std::nullopt);
    throw std::runtime_error("boom");
    co_return;
  });
  run([&]() -> awaitable<void> {
    const auto answer = co_await raw(post("/"));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 500 ")) << answer;
    EXPECT_EQ(answer.find("HTTP/1.1 200"), std::string::npos) << answer;
  });
}

TEST_F(NetTest, AnAnswerOfWhichAByteHasLeftIsCutShortAndNothingIsPutIntoIt) {
  serve([](ServerConnection& client, wire::RequestHead) -> awaitable<void> {
    client.begin(ok(), std::nullopt);
    co_await client.write("half");
    throw std::runtime_error("boom");
  });
  run([&]() -> awaitable<void> {
    const auto answer = co_await raw(post("/"));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer;
    EXPECT_TRUE(answer.ends_with("\r\n4\r\nhalf\r\n")) << answer;
  });
}

TEST_F(NetTest, APieceWrittenAtOnceTakesItsPlaceAmongTheOthers) {
  serve([](ServerConnection& client, wire::RequestHead) -> awaitable<void> {
    EXPECT_FALSE(client.write_now("too early"));
    client.begin(ok(), std::nullopt);
    EXPECT_TRUE(client.has_begun() && !client.is_answering());
    EXPECT_TRUE(client.write_now("one "));
    EXPECT_TRUE(client.is_answering());
    co_await client.write("two ");
    EXPECT_TRUE(client.write_now("three"));
    co_await client.end();
    EXPECT_FALSE(client.write_now("too late"));
  });
  run([&]() -> awaitable<void> {
    const auto fetched = co_await fetch(origin_, "/", {});
    EXPECT_EQ(fetched.value().body, "one two three");
  });
}

TEST_F(NetTest, APieceIsNeverWrittenAtOnceInsideAnotherOne) {
  static constexpr std::size_t large = 32u << 20;  // more than a socket takes at once
  int tries = 0;
  serve([&](ServerConnection& client, wire::RequestHead) -> awaitable<void> {
    client.begin(ok(), std::nullopt);
    const std::string piece(large, 'x');
    bool written = false;
    const auto write = [&]() -> awaitable<void> {
      co_await client.write(piece);
      written = true;
    };
    const auto interrupt = [&]() -> awaitable<void> {
      while (!written) {
        ++tries;
        EXPECT_FALSE(client.write_now("inside"));
        co_await asio::post(asio::use_awaitable);
      }
    };
    using boost::asio::experimental::awaitable_operators::operator&&;
    co_await (write() && interrupt());
    EXPECT_TRUE(client.write_now("behind"));
    co_await client.end();
  });
  run([&]() -> awaitable<void> {
    const auto fetched = co_await fetch(origin_, "/", {.max_body = 2 * large});
    EXPECT_EQ(fetched.value().body.size(), large + 6);
    EXPECT_TRUE(fetched->body.ends_with("xbehind"));
  });
  EXPECT_GT(tries, 10);
}

// Of a piece that the kernel takes in part the rest goes out with the next one; of others nothing is kept.
TEST_F(NetTest, APieceThatAPeerHasNoRoomForIsNotWrittenAtOnce) {
  std::size_t sent = 0;
  serve([&](ServerConnection& client, wire::RequestHead) -> awaitable<void> {
    client.begin(ok(), std::nullopt);
    const std::string piece(64u << 10, 'x');
    std::size_t written = 0;
    while (written < 4096 && client.write_now(piece)) ++written;  // the peer does not read meanwhile
    EXPECT_LT(written, 4096U);
    EXPECT_FALSE(client.write_now("ping"));
    co_await client.end();
    EXPECT_GT(written, 0U);
    sent = written * piece.size();
  });
  run([&]() -> awaitable<void> {
    const auto fetched = co_await fetch(origin_, "/", {.max_body = 1u << 30});
    EXPECT_EQ(fetched.value().body.size(), sent);
  });
}

}  // namespace
}  // namespace lmw::net
