#include "simulator/simulator.hpp"

#include <gtest/gtest.h>

#include "simulator/loopback.hpp"

namespace lmw::simulator {
namespace {

class Engine : public Loopback {};

TEST_F(Engine, DropsARequestWhoseClientLeaves) {
  start();
  simulator_->set_faults({.hung = {0}});
  for (const bool stream : {true, false}) {
    bool ended = false;
    // A client that is cancelled closes its connection.
    net::asio::cancellation_signal leave;
    net::asio::co_spawn(
        context_,
        exchange("POST", "/v1/chat/completions", (stream ? streamed() : request()).dump(), rank("0")),
        net::asio::bind_cancellation_slot(leave.slot(), [&](std::exception_ptr, Answered) { ended = true; }));
    context_.restart();
    const auto held = [&] {
      const auto stats = simulator_->stats(0);
      return stats.running + stats.waiting;
    };
    while (held() == 0) context_.run_one();
    leave.emit(net::asio::cancellation_type::terminal);
    while (!ended || held() != 0) context_.run_one();
  }
}

TEST_F(Engine, SendsNothingFasterThanTheNetworkCarriesIt) {
  auto options = small_engine();
  options.profile.network = std::chrono::seconds(3);
  start(options);
  for (const auto& body : {request(), streamed()}) {
    const auto before = clock_.now();
    EXPECT_EQ(chat(body).status, 200);
    EXPECT_GE(clock_.now() - before, std::chrono::seconds(6));
  }
  // The engine's own clock of the first token runs only inside of it.
  const auto sum = metric(R"(vllm:time_to_first_token_seconds_sum{engine="0",model_name="tiny"})");
  EXPECT_LT(std::stod(sum), 6);
}

TEST_F(Engine, TakesItsTimeToTokenizeThePrompt) {
  auto options = small_engine();
  options.profile.tokenize = 1;
  start(options);
  for (const auto& body : {request(), streamed()}) {
    const auto before = clock_.now();
    const auto answer = chat(body);
    EXPECT_EQ(answer.status, 200);
    EXPECT_GE(clock_.now() - before, std::chrono::seconds(5));
  }
}

TEST_F(Engine, LetsTheContextRunOutOfWorkWithATurnInFlight) {
  start();
  simulator_->set_faults({.hung = {0, 1}});
  std::optional<Answered> answered;
  net::asio::co_spawn(context_, exchange("POST", "/v1/chat/completions", streamed().dump(), {}),
                      [&](std::exception_ptr, Answered answer) { answered = std::move(answer); });
  context_.restart();
  while (simulator_->stats(0).waiting + simulator_->stats(1).waiting + simulator_->stats(0).running +
             simulator_->stats(1).running ==
         0) {
    context_.run_one();
  }
  simulator_->stop();
  context_.run();
  ASSERT_TRUE(answered);
  EXPECT_FALSE(answered->complete);
}

TEST_F(Engine, RefusesToStartWithWhatCanNotBe) {
  auto options = small_engine();
  options.profile.max_model_len = 40000;
  EXPECT_FALSE(Simulator::start(context_, options, clock_));
  options = small_engine();
  options.listen = "no port";
  EXPECT_FALSE(Simulator::start(context_, options, clock_));
}

}  // namespace
}  // namespace lmw::simulator
