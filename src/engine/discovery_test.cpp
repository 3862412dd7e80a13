#include "engine/discovery.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/recorded.hpp"
#include "engine/fake_engine.hpp"
#include "engine/probe.hpp"

namespace lmw::engine {
namespace {

using testing::HasSubstr;

class DiscoveryTest : public testing::Test {
 protected:
  template <class T>
  T run(net::awaitable<T> task) {
    std::optional<T> result;
    net::asio::co_spawn(context_, std::move(task), [&](std::exception_ptr error, T value) {
      EXPECT_FALSE(error);
      result = std::move(value);
      context_.stop();
    });
    context_.restart();
    context_.run_for(std::chrono::seconds(30));
    return std::move(result).value();
  }
  Result<Facts> discovered() { return run(discover(engine_.access())); }

  net::asio::io_context context_;
  FakeEngine engine_{context_};
};

TEST_F(DiscoveryTest, FindsOutAllThatTheEngineTells) {
  engine_.answers["/metrics"].body = recorded("metrics-two-api-servers.txt");
  engine_.answers["/v1/models"].body =
      R"({"data":[{"id":"base","max_model_len":8192,"parent":null},{"id":"lora","parent":"base"}]})";
  engine_.answers["/server_info"].body = R"({"vllm_config":{"scheduler_config":{"max_num_seqs":64}}})";
  const auto facts = discovered().value();
  EXPECT_EQ(facts.version, "0.32.0");
  ASSERT_EQ(facts.models.size(), 2U);
  EXPECT_EQ(facts.models[0].id, "base");
  EXPECT_EQ(facts.models[0].max_model_len, 8192);
  EXPECT_FALSE(facts.models[0].adapter);
  EXPECT_TRUE(facts.models[1].adapter);
  EXPECT_TRUE(facts.has_metrics);
  ASSERT_EQ(facts.ranks.size(), 2U);
  EXPECT_EQ(facts.ranks[1].label, "1");
  EXPECT_EQ(facts.ranks[1].kv_capacity_tokens, 2097152);
  EXPECT_EQ(facts.max_num_seqs, 64);
}

TEST_F(DiscoveryTest, TakesAnEngineThatOnlyListsModelsForOneReplica) {
  engine_.answers.erase("/metrics");
  engine_.answers.erase("/version");
  const auto facts = discovered().value();
  EXPECT_EQ(facts.version, "");
  EXPECT_FALSE(facts.has_metrics);
  ASSERT_EQ(facts.ranks.size(), 1U);
  EXPECT_EQ(facts.ranks[0].label, "");
  EXPECT_FALSE(facts.max_num_seqs);
}

TEST_F(DiscoveryTest, CountsARankWhoseGaugesAreNotSoundSoThatLaterOnesKeepTheirNumbers) {
  engine_.answers["/metrics"].body = fake_metrics({{"0", "NaN"}, {"1"}});
  const auto facts = discovered().value();
  ASSERT_EQ(facts.ranks.size(), 2U);
  EXPECT_EQ(facts.ranks[0].label, "0");
  EXPECT_FALSE(facts.ranks[0].kv_capacity_tokens);
  EXPECT_EQ(facts.ranks[1].kv_capacity_tokens, 4096);
}

TEST_F(DiscoveryTest, SurvivesAnswersOfTheWrongShape) {
  for (const auto* body : {"", "garbage", "[]", "null", "3", R"({"version":3})", R"({"vllm_config":[]})",
                           R"({"vllm_config":{"scheduler_config":{"max_num_seqs":"many"}}})",
                           R"({"vllm_config":{"scheduler_config":{"max_num_seqs":99999999999}}})"}) {
    engine_.answers["/version"].body = engine_.answers["/server_info"].body = body;
    const auto facts = discovered();
    ASSERT_TRUE(facts) << body;
    EXPECT_EQ(facts->version, "") << body;
    EXPECT_FALSE(facts->max_num_seqs) << body;
  }
  for (const auto* body :
       {"", "garbage", "[]", "{}", R"({"data":{}})", R"({"data":[]})", R"({"data":[1,{"id":2}]})"}) {
    engine_.answers["/v1/models"].body = body;
    EXPECT_FALSE(discovered()) << body;
  }
}

TEST_F(DiscoveryTest, SendsItsKeyAndNamesTheSettingWhenTheEngineWantsOne) {
  engine_.answers["/v1/models"].status = 401;
  EXPECT_THAT(discovered().error().message, HasSubstr("set engine.api_key"));
  auto access = engine_.access();
  access.api_key = "sk-1";
  EXPECT_THAT(run(discover(access)).error().message, HasSubstr("does not accept the key in engine.api_key"));
  EXPECT_EQ(engine_.requests.back().head.headers.find("Authorization"), "Bearer sk-1");
  EXPECT_FALSE(engine_.requests.front().head.headers.find("Authorization"));
}

TEST_F(DiscoveryTest, SaysThatAnEngineCannotBeConnectedTo) {
  engine_.go_away();
  EXPECT_THAT(discovered().error().message, HasSubstr("can't be connected to"));
}

TEST_F(DiscoveryTest, DoesNotWaitForeverForAnEngineThatHangs) {
  auto access = engine_.access();
  access.timeout = std::chrono::milliseconds(20);
  engine_.answers["/v1/models"].hang = true;
  EXPECT_FALSE(run(discover(access)));
}

TEST_F(DiscoveryTest, TheProbeSeesWhetherCachedTokensAreReported) {
  auto& chat = engine_.answers["/v1/chat/completions"];
  chat.body = R"({"usage":{"prompt_tokens":400,"prompt_tokens_details":{"cached_tokens":384}}})";
  auto result = run(probe(engine_.access(), "base"));
  EXPECT_TRUE(result.ran);
  EXPECT_TRUE(result.reports_cached_tokens);
  EXPECT_EQ(result.error, "");
  ASSERT_EQ(engine_.requests.size(), 2U);
  EXPECT_EQ(engine_.requests[0].body, engine_.requests[1].body);
  EXPECT_THAT(engine_.requests[0].body, HasSubstr(R"("model":"base")"));
  EXPECT_EQ(engine_.requests[0].head.headers.find("x-data-parallel-rank"), "0");

  for (const auto* body : {R"({"usage":{"prompt_tokens_details":null}})", R"({"usage":null})", "garbage"}) {
    chat.body = body;
    result = run(probe(engine_.access(), "base"));
    EXPECT_FALSE(result.reports_cached_tokens) << body;
  }
  chat.status = 400;
  EXPECT_THAT(run(probe(engine_.access(), "base")).error, HasSubstr("answered 400"));
}

}  // namespace
}  // namespace lmw::engine
