#include "engine/findings.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lmw::engine {
namespace {

using testing::HasSubstr;

// An engine with nothing to complain about.
Facts good() {
  return {.version = "0.33.0",
          .models = {{.id = "m"}},
          .ranks = {{"0", 4096, 16, true}, {"1", 4096, 16, true}},
          .max_num_seqs = 64,
          .has_metrics = true};
}
const ProbeResult good_probe{.ran = true, .reports_cached_tokens = true};

std::optional<Finding> about(std::string_view topic, const Facts& facts,
                             const ProbeResult& probe = good_probe) {
  std::optional<Finding> worst;
  for (const auto& finding : findings(facts, probe)) {
    if (finding.topic == topic && (!worst || finding.severity > worst->severity)) worst = finding;
  }
  return worst;
}

TEST(Findings, ComplainOfNothingInAGoodEngine) {
  for (const auto& finding : findings(good(), good_probe)) {
    EXPECT_EQ(finding.severity, Severity::ok) << finding.topic;
    EXPECT_EQ(finding.advice, "") << finding.topic;
  }
  EXPECT_THAT(about("replicas", good())->text, HasSubstr("2 found"));
  EXPECT_THAT(about("kv capacity", good())->text, HasSubstr("4096 tokens"));
}

TEST(Findings, GateByVersion) {
  auto facts = good();
  facts.version = "0.32.0";
  EXPECT_EQ(about("responses", facts)->severity, Severity::warning);
  EXPECT_FALSE(about("balancer", facts));
  facts.version = "0.26.1";
  EXPECT_EQ(about("balancer", facts)->advice, "leave affinity on");
  EXPECT_EQ(about("version", facts)->severity, Severity::ok);
  facts.version = "0.13.0";
  EXPECT_EQ(about("version", facts)->severity, Severity::warning);
  facts.version = "";
  EXPECT_EQ(about("version", facts)->severity, Severity::note);
  EXPECT_FALSE(about("responses", facts));
}

TEST(Findings, OfOneReplicaDoNotSpeakOfRanks) {
  auto facts = good();
  facts.version = "0.26.0";
  facts.ranks.pop_back();
  EXPECT_FALSE(about("responses", facts));
  EXPECT_FALSE(about("balancer", facts));
}

TEST(Findings, SayWhatIsUnknownAndHowToSetIt) {
  auto facts = good();
  facts.max_num_seqs.reset();
  facts.ranks[1].kv_capacity_tokens.reset();
  EXPECT_THAT(about("max_num_seqs", facts)->text, HasSubstr("assumed 256"));
  EXPECT_EQ(about("max_num_seqs", facts)->advice, "set engine.max_num_seqs");
  EXPECT_EQ(about("kv capacity", facts)->severity, Severity::note);
  facts.ranks[1].kv_capacity_tokens = 8192;
  EXPECT_THAT(about("kv capacity", facts)->text, HasSubstr("4096 to 8192"));
}

TEST(Findings, WarnOfAnEngineWithoutMetrics) {
  auto facts = good();
  facts.has_metrics = false;
  facts.ranks = {RankFacts{}};
  EXPECT_EQ(about("metrics", facts)->severity, Severity::warning);
  EXPECT_FALSE(about("replicas", facts));
  EXPECT_FALSE(about("prefix caching", facts));
}

TEST(Findings, CallPrefixCachingThatIsOffAProblem) {
  auto facts = good();
  facts.ranks[1].prefix_caching = false;
  EXPECT_EQ(about("prefix caching", facts)->severity, Severity::problem);
  EXPECT_FALSE(about("cached tokens", facts, {.ran = true}));
}

TEST(Findings, OfTheProbeNameTheFlagThatIsMissing) {
  const auto missing = about("cached tokens", good(), {.ran = true});
  EXPECT_EQ(missing->severity, Severity::warning);
  EXPECT_THAT(missing->advice, HasSubstr("--enable-prompt-tokens-details"));
  EXPECT_THAT(about("cached tokens", good(), {.ran = true, .error = "boom"})->text, HasSubstr("boom"));
  EXPECT_FALSE(about("cached tokens", good(), {}));
}

}  // namespace
}  // namespace lmw::engine
