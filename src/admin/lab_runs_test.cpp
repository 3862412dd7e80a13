#include "admin/lab_runs.hpp"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "admin/bench_json.hpp"

namespace lmw::admin {
namespace {

using namespace std::chrono_literals;
using Refusal = LabRuns::Refusal;

class LabRunsTest : public testing::Test {
 protected:
  LabRunsTest() {
    std::string folder = testing::TempDir() + "lab-runs-XXXXXX";
    folder_ = mkdtemp(folder.data());
    reports_.emplace(folder_);
    runs_.emplace(*reports_);
  }
  ~LabRunsTest() override {
    runs_.reset();
    std::filesystem::remove_all(folder_);
  }

  LabStatus ended() {
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (runs_->status()->state == LabState::running && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
    return *runs_->status();
  }
  // Longer than any test waits.
  static LabRequest endless() {
    return {.workload = "think", .arms = {"engine", "places", "affinity", "hash"}, .seeds = 20};
  }

  std::string folder_;
  std::optional<Reports> reports_;
  std::optional<LabRuns> runs_;
};

TEST_F(LabRunsTest, ARunEndsInAStoredReport) {
  EXPECT_FALSE(runs_->status());
  EXPECT_FALSE(runs_->start({.workload = "published", .arms = {"engine", "affinity"}}));
  const auto status = ended();
  EXPECT_EQ(status.state, LabState::done);
  EXPECT_EQ(status.progress, 1);
  const auto report = reports_->read(status.report).value();
  EXPECT_EQ(report.title, "Lab: published");
  ASSERT_EQ(report.arms.size(), 2U);
  EXPECT_EQ(report.arms[1].name, "affinity");
  EXPECT_EQ(report.provenance.front().first, "version");
}

TEST_F(LabRunsTest, OneRunsAtATimeAndCanBeCancelled) {
  EXPECT_FALSE(runs_->cancel());
  ASSERT_FALSE(runs_->start(endless()));
  EXPECT_EQ(runs_->start(endless())->why, Refusal::busy);
  EXPECT_TRUE(runs_->cancel());
  const auto status = ended();
  EXPECT_EQ(status.state, LabState::cancelled);
  EXPECT_TRUE(reports_->list().empty());
  EXPECT_FALSE(runs_->cancel());
  EXPECT_FALSE(runs_->start({.workload = "published", .arms = {"hash"}})) << "another one may follow";
  EXPECT_EQ(ended().state, LabState::done);
}

TEST_F(LabRunsTest, ItsEndEndsTheRun) {
  ASSERT_FALSE(runs_->start(endless()));
  runs_.reset();
  EXPECT_TRUE(reports_->list().empty());
}

TEST_F(LabRunsTest, WhatCanNotBeRunIsRefused) {
  const auto refused = [&](const LabRequest& request) { return runs_->start(request)->why; };
  EXPECT_EQ(refused({.workload = "nonsense", .arms = {"engine"}}), Refusal::bad_request);
  EXPECT_EQ(refused({.workload = "weka", .arms = {"engine"}}), Refusal::bad_request) << "needs a trace";
  EXPECT_EQ(refused({.workload = "published", .arms = {}}), Refusal::bad_request);
  EXPECT_EQ(refused({.workload = "published", .arms = {"nonsense"}}), Refusal::bad_request);
  EXPECT_EQ(refused({.workload = "published", .arms = {"hash", "hash"}}), Refusal::bad_request);
  EXPECT_EQ(refused({.workload = "published", .arms = {"hash"}, .seeds = 21}), Refusal::bad_request);
  EXPECT_FALSE(runs_->status());
}

TEST_F(LabRunsTest, WithoutRoomForItsReportNoneBegins) {
  Reports nowhere("");
  LabRuns runs(nowhere);
  EXPECT_EQ(runs.start({.workload = "published", .arms = {"hash"}})->why, Refusal::no_room);
}

TEST_F(LabRunsTest, AReportThatCanNotBeWrittenIsAFailureThatSaysWhy) {
  std::filesystem::remove_all(folder_);
  std::FILE* file = std::fopen(folder_.c_str(), "w");
  std::fclose(file);
  ASSERT_FALSE(runs_->start({.workload = "published", .arms = {"hash"}}));
  const auto status = ended();
  EXPECT_EQ(status.state, LabState::failed);
  EXPECT_NE(status.problem, "");
}

TEST(LabRequestJson, IsReadStrictly) {
  const auto request = lab_request(R"({"workload":"published","arms":["a","b"],"seed":7,"seeds":3})").value();
  EXPECT_EQ(request.workload, "published");
  EXPECT_THAT(request.arms, testing::ElementsAre("a", "b"));
  EXPECT_EQ(request.seed, 7U);
  EXPECT_EQ(request.seeds, 3);
  for (const auto* bad :
       {"", "[]", "{", R"({"workload":1})", R"({"arms":"a"})", R"({"arms":[1]})", R"({"seeds":0})",
        R"({"seeds":21})", R"({"seeds":1.5})", R"({"seed":-1})", R"({"seed":1e99})", R"({"x":1})"}) {
    EXPECT_FALSE(lab_request(bad)) << bad;
  }
}

}  // namespace
}  // namespace lmw::admin
