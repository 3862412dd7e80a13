#include "engine/findings.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lmw::engine {
namespace {

using testing::HasSubstr;

RankFacts good_rank(std::string label) {
  return {.label = std::move(label), .kv_capacity_tokens = 4096, .block_size = 16, .prefix_caching = true};
}

// An engine with nothing to complain about.
Facts good() {
  return {.version = "0.33.0",
          .models = {{.id = "m"}},
          .ranks = {good_rank("0"), good_rank("1")},
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

TEST(Findings, SayWhatAHostTierIsAndWhatItWouldBring) {
  auto facts = good();
  EXPECT_FALSE(about("host tier", facts));
  facts.ranks[0].host_kv_gib = 0;
  EXPECT_THAT(about("host tier", facts)->text, HasSubstr("--kv-offloading-size"));
  facts.ranks[0].host_kv_gib = 64;
  EXPECT_EQ(about("host tier", facts)->severity, Severity::note);
  EXPECT_THAT(about("host tier", facts)->advice, HasSubstr("engine.host_kv_tokens"));
  facts.ranks[0].host_kv_tokens = 466'000;
  EXPECT_EQ(about("host tier", facts)->text, "64 GiB a replica, 466000 tokens");
}

TEST(Findings, GoByWhatIsConfiguredAndSayWhereEachIsFrom) {
  auto told = good();
  told.max_num_seqs.reset();
  for (auto& rank : told.ranks) {
    rank.kv_capacity_tokens.reset();
    rank.host_kv_gib = 64;
  }
  EXPECT_EQ(about("kv capacity", told)->source, Source::unknown);
  EXPECT_EQ(about("max_num_seqs", told)->source, Source::assumed);
  EXPECT_EQ(about("replicas", told)->source, Source::metrics);
  const auto facts =
      with({.ranks = 3, .max_num_seqs = 32, .kv_capacity_tokens = 5000, .host_kv_tokens = 90'000}, told);
  EXPECT_EQ(about("kv capacity", facts)->text, "5000 tokens a replica");
  EXPECT_EQ(about("host tier", facts)->text, "90000 tokens a replica");
  EXPECT_EQ(about("max_num_seqs", facts)->text, "32 a replica");
  EXPECT_EQ(about("replicas", facts)->text, "3 set");
  for (const auto* topic : {"kv capacity", "host tier", "max_num_seqs", "replicas"}) {
    EXPECT_EQ(about(topic, facts)->severity, Severity::ok) << topic;
    EXPECT_EQ(about(topic, facts)->source, Source::configured) << topic;
  }
  EXPECT_EQ(about("version", facts)->source, Source::version);
}

TEST(Findings, DoNotAskForReplicasThatAreConfigured) {
  auto told = good();
  told.has_metrics = false;
  told.ranks = {RankFacts{}};
  const auto facts = with({.ranks = 4}, told);
  EXPECT_THAT(about("metrics", facts)->advice, testing::Not(HasSubstr("engine.ranks")));
  EXPECT_THAT(about("metrics", facts)->text, testing::Not(HasSubstr("one replica")));
  EXPECT_EQ(about("replicas", facts)->text, "4 set");
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
  EXPECT_THAT(about("kv capacity", facts)->text, HasSubstr("nobody waits for room"));
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
