#include "gateway/request_body.hpp"

#include <boost/asio/post.hpp>

#include "net/net_fixture.hpp"

namespace lmw::gateway {
namespace {

using net::asio::awaitable;

constexpr std::size_t mib = std::size_t{1} << 20;

// A zstd frame (RFC 8878 §3.1.1) of the same byte over and over: 4 bytes for each 128 KiB.
std::string zstd_of_x(std::size_t mebibytes) {
  std::string frame("\x28\xb5\x2f\xfd\x00\x68", 6);
  for (std::size_t left = 8 * mebibytes; left > 0; --left) {
    frame += std::string({left == 1 ? '\x03' : '\x02', '\0', '\x10', 'x'});
  }
  return frame;
}

class RequestBodyTest : public net::NetTest {
 protected:
  // What a body that is sent with this coding is read as; a refusal's message in its place.
  awaitable<std::string> read(std::string coding, std::string body) {
    net::FetchOptions options{.method = "POST", .body = std::move(body), .max_body = 256 * mib};
    options.headers.add("Content-Encoding", coding);
    const auto answer = co_await net::fetch(origin_, "/", options);
    co_return answer ? answer->body : answer.error().message;
  }

  void serve_bodies() {
    serve([this](net::ServerConnection& client, wire::RequestHead head) -> awaitable<void> {
      reading_ = true;
      const auto body = co_await read_request_body(client, head, config_);
      reading_ = false;
      encoding_left_ = head.headers.find("Content-Encoding").has_value();
      const auto text = body ? *body : body.error()->message;
      co_await client.respond(net::ok(), text);
    });
  }

  config::Config config_;
  bool reading_ = false;
  bool encoding_left_ = false;
};

TEST_F(RequestBodyTest, IsDecodedAndItsHeadNoLongerSaysEncoded) {
  serve_bodies();
  run([&]() -> awaitable<void> {
    EXPECT_EQ(co_await read("zstd", zstd_of_x(1)), std::string(mib, 'x'));
    EXPECT_FALSE(encoding_left_);
    config_.edits.decode_requests = false;
    EXPECT_EQ(co_await read("zstd", zstd_of_x(1)), zstd_of_x(1));
    EXPECT_TRUE(encoding_left_);
  });
}

TEST_F(RequestBodyTest, LetsOtherWorkGoOnWhileItIsDecoded) {
  serve_bodies();
  run([&]() -> awaitable<void> {
    // So small a body comes with its head: what is counted are turns of the loop while it is decoded.
    int turns = 0;
    const auto other_work = [&]() -> awaitable<void> {
      while (!reading_) co_await net::asio::post(net::asio::use_awaitable);
      for (; reading_; ++turns) co_await net::asio::post(net::asio::use_awaitable);
    };
    net::asio::co_spawn(context_, other_work, net::asio::detached);
    EXPECT_EQ((co_await read("zstd", zstd_of_x(60))).size(), 60 * mib);
    EXPECT_GE(turns, 59);
  });
}

}  // namespace
}  // namespace lmw::gateway
