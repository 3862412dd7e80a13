// Faults as a client meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/loopback.hpp"
#include "wire/prometheus_text.hpp"

namespace lmw::simulator {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class FaultFace : public Loopback {};

std::size_t events_in(const std::string& stream) {
  std::size_t count = 0;
  for (auto at = stream.find("\n\n"); at != std::string::npos; at = stream.find("\n\n", at + 2)) ++count;
  return count;
}

TEST_F(FaultFace, IsOrderedAndShownOverHttp) {
  start();
  EXPECT_EQ(order({{"turns", "busy"}, {"turns_left", 2}}).status, 200);
  EXPECT_EQ(Json::parse(ask("GET", "/sim/faults").body).at("turns_left"), 2);
  EXPECT_EQ(order({{"turns", "lazy"}}).status, 400);
}

TEST_F(FaultFace, IsNotServedWhenTheControlIsOff) {
  auto options = small_engine();
  options.control = false;
  start(options);
  EXPECT_EQ(ask("GET", "/sim/faults").status, 404);
}

TEST_F(FaultFace, BusyIsAnswered503UntilItsTurnsAreUsedUp) {
  start();
  order({{"turns", "busy"}, {"turns_left", 6}});
  for (const auto& answer : ask_all(true)) EXPECT_EQ(answer.status, 503);
  const auto openai = chat(streamed());
  EXPECT_EQ(openai.status, 503);
  EXPECT_EQ(Json::parse(openai.body).at("error").at("type"), "Service Unavailable");
  const auto anthropic = messages(request());
  EXPECT_EQ(anthropic.status, 503);
  EXPECT_EQ(Json::parse(anthropic.body).at("type"), "error");
  EXPECT_EQ(chat(request()).status, 200);
  EXPECT_EQ(metric(R"(vllm:admission_rejections_total{model_name="tiny",reason="max_num_queued_reqs"})"),
            "6.0");
}

TEST_F(FaultFace, ClosesWithoutAnAnswer) {
  start();
  order({{"turns", "close_unanswered"}, {"turns_left", 4}});
  for (const auto& answer : ask_all(false)) EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(chat(request()).status, 200);
}

TEST_F(FaultFace, CutsAStreamAfterSomeEvents) {
  start();
  for (const int events : {0, 1, 3}) {
    order({{"turns", "cut"}, {"after_events", events}});
    for (const auto& answer : ask_all(true)) {
      EXPECT_EQ(answer.status, 200);
      EXPECT_FALSE(answer.complete);
      EXPECT_EQ(events_in(answer.body), static_cast<std::size_t>(events));
      EXPECT_TRUE(answer.body.empty() || answer.body.ends_with("\n\n"));
    }
  }
}

TEST_F(FaultFace, CutsAStreamInsideAnEvent) {
  start();
  order({{"turns", "cut_mid_event"}, {"after_events", 1}});
  for (const auto& answer : ask_all(true)) {
    EXPECT_FALSE(answer.complete);
    EXPECT_EQ(events_in(answer.body), 1u);
    EXPECT_FALSE(answer.body.ends_with("\n\n"));
  }
}

TEST_F(FaultFace, AHungReplicaTakesTurnsAndAnswersAfterwards) {
  start();
  order({{"hung", {1}}});
  std::optional<Answered> answered;
  net::asio::co_spawn(context_, exchange("POST", "/v1/chat/completions", request().dump(), rank("1")),
                      [&](std::exception_ptr, Answered answer) { answered = std::move(answer); });
  EXPECT_EQ(chat(request(), rank("0")).status, 200);
  EXPECT_FALSE(answered);
  order({{"hung", Json::array()}});
  while (!answered) context_.run_one();
  EXPECT_EQ(answered->status, 200);
}

TEST_F(FaultFace, ADeadEngineEndsItsStreamsAndRefusesConnections) {
  start();
  simulator_->set_faults({.hung = {0, 1}});
  std::optional<Answered> answered;
  net::asio::co_spawn(context_, exchange("POST", "/v1/chat/completions", streamed().dump(), {}),
                      [&](std::exception_ptr, Answered answer) { answered = std::move(answer); });
  EXPECT_EQ(order({{"die", Json::object()}}).status, 200);
  while (!simulator_->is_dead() || !answered) context_.run_one();
  EXPECT_FALSE(answered->complete);
  EXPECT_EQ(ask("GET", "/health").status, 0);
}

TEST_F(FaultFace, AnEngineThatComesBackHasTheSameAddressAndNothingElse) {
  start();
  chat(request(), rank("0"));
  chat(request(), rank("0"));
  const auto url = simulator_->url();
  const auto queries = R"(vllm:prefix_cache_queries_total{engine="0",model_name="tiny"})";
  EXPECT_NE(metric(queries), "0.0");
  const auto before = metric("process_start_time_seconds");
  simulator_->die();
  ASSERT_TRUE(simulator_->revive());
  EXPECT_EQ(simulator_->url(), url);
  EXPECT_EQ(metric(queries), "0.0");
  EXPECT_NE(metric("process_start_time_seconds"), before);
  EXPECT_EQ(Json::parse(chat(request(), rank("0")).body)
                .at("usage")
                .at("prompt_tokens_details")
                .at("cached_tokens"),
            0);
}

TEST_F(FaultFace, AnEngineComesBackByItself) {
  start();
  order({{"die", {{"down_s", 30}}}});
  context_.restart();
  while (!simulator_->is_dead()) context_.run_one();
  while (simulator_->is_dead()) context_.run_one();
  EXPECT_EQ(ask("GET", "/health").status, 200);
}

TEST_F(FaultFace, MetricsFail) {
  start();
  order({{"metrics", "error"}});
  EXPECT_EQ(ask("GET", "/metrics").status, 500);
}

TEST_F(FaultFace, MetricsComeLate) {
  start();
  order({{"metrics", "slow"}, {"metrics_delay_s", 20}});
  const auto before = clock_.now();
  EXPECT_EQ(ask("GET", "/metrics").status, 200);
  EXPECT_GE(clock_.now() - before, std::chrono::seconds(20));
}

TEST_F(FaultFace, MetricsAreNoNumbersOrNoMetricsOrTooMany) {
  start();
  order({{"metrics", "nan"}});
  EXPECT_EQ(metric(R"(vllm:num_requests_running{engine="0",model_name="tiny"})"), "NaN");
  order({{"metrics", "garbage"}});
  EXPECT_THAT(ask("GET", "/metrics").body, EndsWith("<html>"));
  order({{"metrics", "huge"}});
  EXPECT_GE(ask("GET", "/metrics").body.size(), 20'000'000u);
}

TEST_F(FaultFace, MetricsLackAReplica) {
  start();
  order({{"metrics", "missing_rank"}, {"missing_rank", 1}});
  const auto page = ask("GET", "/metrics").body;
  EXPECT_THAT(page, HasSubstr("engine=\"0\""));
  EXPECT_EQ(page.find("engine=\"1\""), std::string::npos);
}

TEST_F(FaultFace, MetricsStandStill) {
  start();
  chat(request(), rank("0"));
  order({{"metrics", "frozen"}});
  const auto page = ask("GET", "/metrics").body;
  chat(request(), rank("0"));
  EXPECT_EQ(ask("GET", "/metrics").body, page);
  order({{"metrics", "none"}});
  EXPECT_NE(ask("GET", "/metrics").body, page);
}

}  // namespace
}  // namespace lmw::simulator
