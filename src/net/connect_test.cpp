#include "net/connect.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "net/net_fixture.hpp"

namespace lmw::net {
namespace {

using namespace std::chrono_literals;

// Neither takes a connection nor refuses one: what comes to a queue that is full is dropped.
class BlackHole {
 public:
  explicit BlackHole(asio::io_context& context) : listener_(context), waiting_(context) {
    listener_.open(tcp::v4());
    listener_.bind({asio::ip::address_v4::loopback(), 0});
    listener_.listen(0);
    waiting_.connect(address());
  }
  tcp::endpoint address() const { return listener_.local_endpoint(); }

 private:
  tcp::acceptor listener_;
  tcp::socket waiting_;
};

class Connect : public NetTest {
 protected:
  void SetUp() override {
    tcp::acceptor closed(context_, {asio::ip::address_v4::loopback(), 0});
    refusing_ = closed.local_endpoint();
  }
  void serve_nothing() {
    serve([](ServerConnection&, wire::RequestHead) -> awaitable<void> { co_return; });
  }
  void expect_error(std::vector<tcp::endpoint> addresses, asio::error::basic_errors error) {
    run([&]() -> awaitable<void> {
      const auto connected = co_await connect_to_any(addresses, 100ms);
      EXPECT_EQ(connected.error(), error);
    });
    context_.restart();
  }

  BlackHole hole_{context_};
  tcp::endpoint refusing_;
  tcp::endpoint without_a_way_{asio::ip::address_v4::broadcast(), 9};
};

TEST_F(Connect, AnAddressThatSwallowsPacketsLeavesTheOthersTheirShare) {
  serve_nothing();
  run([&]() -> awaitable<void> {
    const auto begin = std::chrono::steady_clock::now();
    const auto connected = co_await connect_to_any({hole_.address(), refusing_, server_endpoint()}, 1500ms);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 1500ms);
    EXPECT_TRUE(connected.has_value());
    if (connected) {
      EXPECT_EQ(connected->remote_endpoint(), server_endpoint());
    }
  });
}

TEST_F(Connect, OneThatKeepsSilentMayBeTheEngineWhateverTheOthersSay) {
  expect_error({hole_.address(), refusing_}, asio::error::timed_out);
  expect_error({refusing_, hole_.address()}, asio::error::timed_out);
}

TEST_F(Connect, OneThatRefusesSaysMoreThanOneToWhichThereIsNoWay) {
  expect_error({without_a_way_, refusing_}, asio::error::connection_refused);
  expect_error({refusing_, without_a_way_}, asio::error::connection_refused);
}

awaitable<void> error_of(std::vector<tcp::endpoint> addresses, boost::system::error_code& end) {
  end = (co_await connect_to_any(addresses, 1h)).error();
}

TEST_F(Connect, NoFurtherAddressIsTriedOnceItIsCancelled) {
  serve_nothing();
  run([&]() -> awaitable<void> {
    using boost::asio::experimental::awaitable_operators::operator||;
    asio::steady_timer leaving(context_, 20ms);
    boost::system::error_code end;
    co_await (error_of({hole_.address(), server_endpoint()}, end) || leaving.async_wait(asio::use_awaitable));
    EXPECT_EQ(end, asio::error::operation_aborted);
  });
}

}  // namespace
}  // namespace lmw::net
