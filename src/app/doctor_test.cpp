#include "app/doctor.hpp"

#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/fake_engine.hpp"

namespace lmw::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// The doctor blocks, so its engine lives on a thread of its own. Set up the engine before the first call.
class DoctorTest : public testing::Test {
 protected:
  ~DoctorTest() override { context_.stop(); }

  std::string url() const { return engine_.access().origin.url(); }
  int run(const DoctorOptions& options) {
    if (!thread_.joinable()) thread_ = std::jthread([this] { context_.run(); });
    out_.str("");
    return run_doctor(options, out_);
  }

  net::asio::io_context context_;
  engine::FakeEngine engine_{context_};
  std::ostringstream out_;
  std::jthread thread_;
};

TEST_F(DoctorTest, ReportsAsJsonWhatItFound) {
  EXPECT_EQ(run({.urls = {url()}, .json = true}), 0);
  const auto report = json::parse(out_.str())["engines"][0];
  EXPECT_EQ(report["url"], url());
  EXPECT_EQ(report["up"], true);
  EXPECT_EQ(report["error"], "");
  EXPECT_EQ(report["version"], "0.32.0");
  EXPECT_EQ(report["models"], json::parse(R"([{"id":"base","max_model_len":8192}])"));
  EXPECT_EQ(report["replicas"], 2);
  EXPECT_EQ(report["ranks"][1], json::parse(R"({"label":"1","kv_capacity_tokens":4096,"block_size":16})"));
  EXPECT_EQ(report["max_num_seqs"], nullptr);
  // The engine has no chat route, so the probe fails; the engine is usable all the same.
  EXPECT_EQ(report["findings"].back()["topic"], "cached tokens");
  EXPECT_EQ(report["findings"].back()["severity"], "warning");
}

TEST_F(DoctorTest, FailsWhenOneOfTheEnginesIsNotUsable) {
  const DoctorOptions options{.urls = {"https://example.org", url()}, .json = true};
  EXPECT_EQ(run(options), 1);
  const auto engines = json::parse(out_.str())["engines"];
  ASSERT_EQ(engines.size(), 2U);
  EXPECT_EQ(engines[0]["up"], false);
  EXPECT_EQ(engines[0]["findings"][0]["severity"], "problem");
  EXPECT_THAT(engines[0]["error"].get<std::string>(), HasSubstr("https"));
  EXPECT_EQ(engines[1]["up"], true);
}

TEST_F(DoctorTest, PrintsALineForEachFindingWithItsAdvice) {
  EXPECT_EQ(run({.urls = {url()}, .probe = false}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("base (context 8192)"));
  EXPECT_THAT(out_.str(), HasSubstr("  ok       replicas        2 found\n"));
  EXPECT_THAT(out_.str(), HasSubstr("  note     max_num_seqs    unknown: assumed 256 until learnt\n"
                                    "                           -> set engine.max_num_seqs\n"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("cached tokens")));
  EXPECT_EQ(engine_.served("/v1/chat/completions"), 0U);
}

TEST_F(DoctorTest, LetsNoNameSteerTheTerminal) {
  engine_.answers["/v1/models"].body = R"({"data":[{"id":"a\u001b[2J\nb"}]})";
  run({.urls = {url()}, .probe = false});
  EXPECT_THAT(out_.str(), HasSubstr("a?[2J?b"));
}

}  // namespace
}  // namespace lmw::app
