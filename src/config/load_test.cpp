#include "config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load_fixture.hpp"
#include "config/settings.hpp"

namespace lmw::config {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Load, WithoutSourcesGivesTheDefaults) { EXPECT_EQ(config(Sources{}), Config{}); }

// Claude Code and the Python SDKs wait 600 s for a head, and proxies cut a silent stream after 50 s.
TEST(Load, TheDefaultsOutlastClientsAndBridgeProxies) {
  const Timeouts defaults;
  EXPECT_GT(defaults.first_byte, 600s);
  EXPECT_GT(defaults.stream_idle, 600s);
  EXPECT_GT(defaults.heartbeat, 0s);
  EXPECT_LT(defaults.heartbeat, 50s);
}

TEST(Load, ReadsEveryKindOfSettingFromTheFile) {
  const auto c = config(sources(R"(
listen = ":80"
time_scale = 20
affinity = false
spill_threshold = 6
scrape_interval = "500ms"

[limits]
body_bytes = "128MiB"
head_bytes = 4096
conversations = 10
conversation_idle = "2h"

[timeouts]
connect = "250ms"

[edits]
ask_usage = false
)"));
  Config expected;
  expected.listen = ":80";
  expected.time_scale = 20;
  expected.affinity = false;
  expected.spill_threshold = 6;
  expected.scrape_interval = 500ms;
  expected.limits = {
      .body_bytes = 128 << 20, .head_bytes = 4096, .conversations = 10, .conversation_idle = 2h};
  expected.timeouts.connect = 250ms;
  expected.edits.ask_usage = false;
  EXPECT_EQ(c, expected);
}

TEST(Load, ReadsEnginesAndModels) {
  const auto c = config(sources(R"(
[[engine]]
name = "gpu1"
url = "http://gpu1:8000/"
api_key = "k1"
ranks = 8
max_num_seqs = 128
kv_capacity_tokens = 5_000_000_000
host_kv_tokens = 466_000
host_kv_rate = 50_000

[[engine]]
url = "http://[::1]:8000"

[[model]]
name = "org/model"
engines = ["gpu1", "http://[::1]:8000/"]
aliases = ["claude-*"]
affinity = false
spill_threshold = 3
)"));
  EXPECT_THAT(c.engines, ElementsAre(Engine{.name = "gpu1",
                                            .url = "http://gpu1:8000",
                                            .api_key = "k1",
                                            .ranks = 8,
                                            .max_num_seqs = 128,
                                            .kv_capacity_tokens = 5'000'000'000,
                                            .host_kv_tokens = 466'000,
                                            .host_kv_rate = 50'000},
                                     Engine{.name = "http://[::1]:8000", .url = "http://[::1]:8000"}));
  EXPECT_THAT(c.models, ElementsAre(Model{.name = "org/model",
                                          .engines = {"gpu1", "http://[::1]:8000/"},
                                          .aliases = {"claude-*"},
                                          .affinity = false,
                                          .spill_threshold = 3}));
}

TEST(Load, LetsLaterSourcesWin) {
  const std::map<std::string, std::string> variables = {{"LMWARDEN_LISTEN", ":2"},
                                                        {"LMWARDEN_LOG_LEVEL", "warn"}};
  const auto c = config(sources("listen = ':1'\nlog_level = 'debug'\nadmin_listen = '127.0.0.1:4'", variables,
                                {{"--listen", ":9"}, {"--listen", ":3"}}));
  EXPECT_EQ(c.listen, ":3");
  EXPECT_EQ(c.log_level, "warn");
  EXPECT_EQ(c.admin_listen, "127.0.0.1:4");
}

TEST(Load, SaysWhereEachValueCameFrom) {
  const auto loaded =
      load(sources("listen = ':1'\nlog_level = 'debug'\n[[engine]]\nurl = 'http://a'",
                   {{"LMWARDEN_LISTEN", ":2"}}, {{"--affinity", "off"}, {"--engine", "http://b"}}));
  ASSERT_TRUE(loaded);
  EXPECT_THAT(loaded->origins,
              ElementsAre(std::pair("affinity", "--affinity"), std::pair("engine[0]", "w.toml:3:1"),
                          std::pair("engine[0].url", "w.toml:4:1"), std::pair("engine[1]", "--engine"),
                          std::pair("engine[1].url", "--engine"), std::pair("listen", "LMWARDEN_LISTEN"),
                          std::pair("log_level", "w.toml:2:1")));
}

TEST(Load, ReadsEveryKindOfSettingFromTexts) {
  const auto c =
      config(sources("", {{"LMWARDEN_LIMITS_BODY_BYTES", "1MiB"}, {"LMWARDEN_LIMITS_HEAD_COUNT", "99"}},
                     {{"--limits-head-bytes", "2048"},
                      {"--affinity", "off"},
                      {"--edits-ask-usage", "false"},
                      {"--spill-threshold", "5"},
                      {"--time-scale", "2.5"},
                      {"--timeouts-first-byte", "1h"}}));
  EXPECT_EQ(c.limits.body_bytes, 1u << 20);
  EXPECT_EQ(c.limits.head_count, 99u);
  EXPECT_EQ(c.limits.head_bytes, 2048u);
  EXPECT_FALSE(c.affinity);
  EXPECT_FALSE(c.edits.ask_usage);
  EXPECT_EQ(c.spill_threshold, 5);
  EXPECT_EQ(c.time_scale, 2.5);
  EXPECT_EQ(c.timeouts.first_byte, 1h);
}

TEST(Load, TakesAnEmptyVariableForNone) {
  EXPECT_EQ(config(sources("", {{"LMWARDEN_LISTEN", ""}, {"LMWARDEN_ENGINE", ""}})), Config{});
}

TEST(Load, AddsTheEnginesOfLaterSources) {
  const auto c = config(sources("[[engine]]\nname = 'one'\nurl = 'http://a:80/'",
                                {{"LMWARDEN_ENGINE", "http://A, http://b:81/"}},
                                {{"--engine", "http://b:81"}, {"--engine", "http://c"}}));
  ASSERT_EQ(c.engines.size(), 3u);
  EXPECT_EQ(c.engines[0].name, "one");
  EXPECT_EQ(c.engines[1].url, "http://b:81");
  EXPECT_EQ(c.engines[2].name, "http://c");
}

TEST(Load, GivesEverySettingAFlagAndAVariable) {
  EXPECT_EQ(flag_name("limits.body_bytes"), "--limits-body-bytes");
  EXPECT_EQ(variable_name("limits.body_bytes"), "LMWARDEN_LIMITS_BODY_BYTES");
  for (const auto& flag : flags()) {
    if (!flag.repeats)
      EXPECT_THAT(flag_problems({{flag.name, "x\ny"}}), ElementsAre(HasSubstr(flag.name + ": ")))
          << flag.name;
  }
}

}  // namespace
}  // namespace lmw::config
