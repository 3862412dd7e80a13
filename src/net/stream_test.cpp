#include "net/stream.hpp"

#include <array>
#include <optional>

#include <boost/asio/read.hpp>

#include "net/net_fixture.hpp"

namespace lmw::net {
namespace {

using namespace std::chrono_literals;

// A stream of ours, and the plain socket of its peer.
class StreamTest : public testing::Test {
 protected:
  StreamTest() : peer_(context_), stream_(connect()) {}

  // The stream ends with the body, and with it the timer that would keep the context running.
  template <class Body>
  void run(Body body) {
    asio::co_spawn(context_, body(), [&](std::exception_ptr error) {
      stream_.reset();
      if (error) std::rethrow_exception(error);
    });
    context_.run();
  }
  awaitable<std::expected<void, IoFault>> write(std::string_view text, Timeout timeout) {
    const std::array pieces{asio::const_buffer(text.data(), 1), asio::const_buffer(text.data(), 0),
                            asio::const_buffer(text.data() + 1, text.size() - 1)};
    co_return co_await stream_->write(pieces, timeout);
  }

  asio::io_context context_{1};
  tcp::socket peer_;
  std::optional<Stream> stream_;

 private:
  tcp::socket connect() {
    tcp::acceptor acceptor(context_, {asio::ip::address_v4::loopback(), 0});
    peer_.connect(acceptor.local_endpoint());
    return acceptor.accept();
  }
};

// Who waits for the peer beside an exchange may be the one that is told of its end, and who reads the next
// request comes later.
TEST_F(StreamTest, ThePeersEndIsSeenByEachReadThatComesAfterIt) {
  run([&]() -> awaitable<void> {
    asio::write(peer_, asio::buffer("last words", 10));
    peer_.shutdown(tcp::socket::shutdown_send);
    std::array<char, 100> bytes{};
    EXPECT_EQ(co_await stream_->read_some(asio::buffer(bytes), 1s), 10U);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(co_await stream_->read_some(asio::buffer(bytes), 50ms), std::unexpected(IoFault::closed));
    }
    std::string text;
    EXPECT_EQ(co_await stream_->append_some(text, 1, 50ms), std::unexpected(IoFault::closed));
  });
}

TEST_F(StreamTest, AReadThatTimesOutMayBeTriedAgain) {
  run([&]() -> awaitable<void> {
    std::array<char, 100> bytes{};
    EXPECT_EQ(co_await stream_->read_some(asio::buffer(bytes), 1ms), std::unexpected(IoFault::timed_out));
    std::string text;
    EXPECT_EQ(co_await stream_->append_some(text, 1, 1ms), std::unexpected(IoFault::timed_out));
    asio::write(peer_, asio::buffer("late", 4));
    EXPECT_EQ(co_await stream_->append_some(text, 1, 1s), 1U);
    EXPECT_EQ(co_await stream_->read_some(asio::buffer(bytes), 1s), 3U);
    EXPECT_EQ(text, "l");
  });
}

TEST_F(StreamTest, MoreThanTheKernelTakesAtOnceIsWrittenToItsLastByte) {
  std::string sent(32u << 20, '\0');
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 2654435761u >> 24);
  std::string received(sent.size(), '\0');
  asio::co_spawn(
      context_,
      [&]() -> awaitable<void> {
        co_await asio::async_read(peer_, asio::buffer(received), asio::use_awaitable);
      },
      asio::detached);
  run([&]() -> awaitable<void> { EXPECT_TRUE((co_await write(sent, 10s)).has_value()); });
  EXPECT_TRUE(sent == received);
}

TEST_F(StreamTest, AWriteThatThePeerTakesNothingOfTimesOut) {
  run([&]() -> awaitable<void> {
    const std::string much(32u << 20, 'x');
    EXPECT_EQ(co_await write(much, 20ms), std::unexpected(IoFault::timed_out));
  });
}

TEST_F(StreamTest, AWriteToAPeerThatHasResetIsAFault) {
  peer_.set_option(asio::socket_base::linger(true, 0));
  peer_.close();
  run([&]() -> awaitable<void> { EXPECT_EQ(co_await write("words", 1s), std::unexpected(IoFault::closed)); });
}

}  // namespace
}  // namespace lmw::net
