#include "config/load.hpp"

#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/settings.hpp"

namespace lmw::config {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Pairs = std::vector<std::pair<std::string, std::string>>;

Sources sources(std::string toml, std::map<std::string, std::string> variables = {}, Pairs flags = {}) {
  const auto environment = [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  return {.file = File{"w.toml", std::move(toml)}, .environment = environment, .flags = std::move(flags)};
}

std::vector<std::string> problems(const Sources& from) {
  const auto loaded = load(from);
  std::vector<std::string> result;
  if (loaded) return result;
  for (const auto& error : loaded.error()) result.push_back(error.message);
  return result;
}
std::vector<std::string> problems(std::string toml) { return problems(sources(std::move(toml))); }
std::vector<std::string> flag_problems(Pairs flags) { return problems(sources("", {}, std::move(flags))); }

Config config(const Sources& from) {
  auto loaded = load(from);
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().front().message);
  return loaded ? loaded->config : Config{};
}

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

TEST(Load, ReportsEveryFaultOfEverySource) {
  const auto found =
      problems(sources("listn = ':1'\n[limits]\nhead_count = 'x'\n[[engine]]\nurl = 'https://a'",
                       {{"LMWARDEN_LOG_LEVEL", "loud"}}, {{"--lissten", "x"}, {"--affinity", "maybe"}}));
  EXPECT_THAT(found, ElementsAre("w.toml:1:1: unknown setting 'listn'; did you mean 'listen'?",
                                 "w.toml:3:1: limits.head_count: expected: whole number; got 'x'",
                                 HasSubstr("w.toml:5:1: url: 'https://a': https is not supported yet"),
                                 "LMWARDEN_LOG_LEVEL: 'loud' is not one of trace, debug, info, warn, error",
                                 "--lissten: unknown flag; did you mean '--listen'?",
                                 "--affinity: expected: true or false; got 'maybe'"));
}

TEST(Load, ReportsBadSyntaxWithItsPlaceBesideOtherFaults) {
  EXPECT_THAT(problems(sources("listen = \n", {}, {{"--listen", "x"}})),
              ElementsAre(HasSubstr("w.toml:1:10: "), HasSubstr("--listen: ")));
  EXPECT_THAT(problems("log_level = 'info'\nlog_level = 'warn'"), ElementsAre(HasSubstr("w.toml:2:")));
}

TEST(Load, ReportsMalformedHeadersOfTables) {
  for (const std::string text : {"[[[a]]]", "[=]", "[.a]", "[a.]", "[ ]", "[[", "[\n", "[[a]", "[a]]"})
    EXPECT_THAT(problems(text), ElementsAre(HasSubstr("w.toml:1:"))) << text;
}

TEST(Load, ReportsCharactersThatStandOutsideOfTexts) {
  for (const std::string character : {"\u2603", "\uFB3F", "\uFE0F", "\uFEFF"}) {
    EXPECT_THAT(problems("listen = " + character), ElementsAre(HasSubstr("w.toml:1:10"))) << character;
    EXPECT_THAT(problems("[[engine" + character), ElementsAre(HasSubstr("w.toml:1:9"))) << character;
  }
}

TEST(Load, RefusesNestingThatWouldUseUpTheStack) {
  const auto dotted = [](int parts) {
    std::string key = "x";
    for (int i = 1; i < parts; ++i) key += ".x";
    return "\n" + key + " = 1";
  };
  EXPECT_THAT(problems(dotted(500'000)), ElementsAre("w.toml:2:1: the line has too many dots"));
  EXPECT_THAT(problems(dotted(1'000)), ElementsAre(HasSubstr("unknown table 'x'")));
  EXPECT_THAT(problems("x = " + std::string(100'000, '[')), ElementsAre(HasSubstr("nested")));
}

TEST(Load, SuggestsTheSettingWhoseSectionWasLeftOut) {
  EXPECT_THAT(problems("body_bytes = 5000"), ElementsAre(HasSubstr("did you mean 'limits.body_bytes'?")));
  EXPECT_THAT(problems("[limit]\nbody_bytes = 5000"),
              ElementsAre("w.toml:1:2: unknown table 'limit'; did you mean 'limits'?"));
  EXPECT_THAT(problems("[[engines]]\nurl = 'http://a'"), ElementsAre(HasSubstr("did you mean 'engine'?")));
  EXPECT_THAT(problems("[[engine]]\nurl = 'http://a'\nrank = 3"),
              ElementsAre("w.toml:3:1: unknown setting 'rank' of [[engine]]; did you mean 'ranks'?"));
}

TEST(Load, SuggestsNothingForANameLikeNoOther) {
  EXPECT_THAT(problems("zzzzzzzzzz = 1"), ElementsAre("w.toml:1:1: unknown setting 'zzzzzzzzzz'"));
  EXPECT_THAT(problems(std::string(5000, 'z') + " = 1"),
              ElementsAre(testing::Not(HasSubstr("did you mean"))));
}

TEST(Load, ExplainsTablesOfTheWrongShape) {
  EXPECT_THAT(problems("[engine]\nurl = 'http://a'"),
              ElementsAre("w.toml:1:2: write [[engine]], once for each engine"));
  EXPECT_THAT(problems("model = 'm'"), ElementsAre("w.toml:1:1: write [[model]], once for each model"));
  EXPECT_THAT(problems("limits = 3"), ElementsAre("w.toml:1:1: write [limits], once"));
  EXPECT_THAT(problems("[[limits]]\nhead_count = 9"), ElementsAre("w.toml:1:1: write [limits], once"));
}

TEST(Load, RefusesEmptyAndNestedKeys) {
  EXPECT_THAT(problems("'' = 1"), ElementsAre(HasSubstr("unknown setting ''")));
  EXPECT_THAT(problems("[limits]\n'' = 1"), ElementsAre(HasSubstr("unknown setting 'limits.'")));
  EXPECT_THAT(problems("['']\nx = 1"),
              ElementsAre(HasSubstr("unknown table ''"), HasSubstr("unknown setting")));
  EXPECT_THAT(problems("[limits.head_count]\nx = 1"), ElementsAre(HasSubstr("got 'a table'")));
  EXPECT_THAT(problems("[timeouts.head.x]"),
              ElementsAre(HasSubstr("timeouts.head: 'a table' is not a duration")));
}

TEST(Load, RefusesValuesOfTheWrongType) {
  EXPECT_THAT(problems("affinity = 'on'"), ElementsAre(HasSubstr("expected: true or false; got 'on'")));
  EXPECT_THAT(problems("listen = 8080"), ElementsAre(HasSubstr("expected: address; got '8080'")));
  EXPECT_THAT(problems("spill_threshold = 2.5"), ElementsAre(HasSubstr("expected: whole number; got '2.5'")));
  EXPECT_THAT(problems("time_scale = 1979-05-27"), ElementsAre(HasSubstr("got 'a date or time'")));
  EXPECT_THAT(problems("scrape_interval = 4"),
              ElementsAre(HasSubstr("'4' is not a duration such as 500ms, 4s")));
  EXPECT_THAT(problems("[limits]\nbody_bytes = '64MB'"), ElementsAre(HasSubstr("'64MB' is not a size")));
  EXPECT_THAT(problems("[limits]\nhead_count = '1KiB'"), ElementsAre(HasSubstr("whole number")));
  EXPECT_THAT(problems("[[model]]\nname = 'm'\naliases = 'a'"),
              ElementsAre(HasSubstr("list of texts; got 'a'")));
  EXPECT_THAT(problems("[[model]]\nname = 'm'\naliases = ['a', 1]"),
              ElementsAre(HasSubstr("list of texts; got")));
}

TEST(Load, RefusesValuesOutOfRange) {
  EXPECT_THAT(problems("spill_threshold = 0"), ElementsAre(HasSubstr("0 is out of range: 1 to 100000")));
  EXPECT_THAT(problems("time_scale = nan"), ElementsAre(HasSubstr("out of range")));
  EXPECT_THAT(problems("time_scale = inf"), ElementsAre(HasSubstr("out of range")));
  EXPECT_THAT(problems("[limits]\nbody_bytes = -1"), ElementsAre(HasSubstr("out of range: 1KiB to 4GiB")));
  EXPECT_THAT(problems("[limits]\nbody_bytes = '5GiB'"),
              ElementsAre(HasSubstr("5GiB is out of range: 1KiB to 4GiB")));
  EXPECT_THAT(problems("[timeouts]\nhead = '0s'"), ElementsAre(HasSubstr("0ms is out of range: 1ms to 24h")));
  EXPECT_THAT(problems("[limits]\nconversation_idle = '1500ms'"), ElementsAre(HasSubstr("whole seconds")));
  EXPECT_THAT(flag_problems({{"--limits-connections", "99999999999999999999"}}),
              ElementsAre(HasSubstr("whole number")));
}

TEST(Load, AcceptsTheBoundsThemselves) {
  const auto c =
      config(sources("spill_threshold = 1\n[limits]\nbody_bytes = '4GiB'\n[timeouts]\nhead = '24h'"));
  EXPECT_EQ(c.spill_threshold, 1);
  EXPECT_EQ(c.limits.body_bytes, 4ull << 30);
  EXPECT_EQ(c.timeouts.head, 24h);
}

TEST(Load, RefusesBadUrlsAndAddresses) {
  EXPECT_THAT(problems("listen = 'localhost'"),
              ElementsAre(HasSubstr("w.toml:1:1: listen: the port is missing")));
  EXPECT_THAT(problems("[[engine]]\nurl = 'http://a/v1/'"), ElementsAre(HasSubstr("leave out /v1")));
  EXPECT_THAT(problems("[[engine]]\nurl = ''"), ElementsAre(HasSubstr("starts with http://")));
  EXPECT_THAT(problems(sources("", {{"LMWARDEN_ENGINE", "a:80,http://b"}})),
              ElementsAre("LMWARDEN_ENGINE: 'a:80': an engine's URL starts with http://"));
  EXPECT_THAT(flag_problems({{"--engine", ""}}), ElementsAre(HasSubstr("--engine: '': an engine's URL")));
}

TEST(Load, NeverRepeatsASecretInAnError) {
  for (const auto* key : {"'se cret'", "\"se\\ncret\"", "['secret']"}) {
    const auto found = problems(std::string("[[engine]]\nurl = 'http://a'\napi_key = ") + key);
    EXPECT_THAT(found, ElementsAre(testing::AllOf(HasSubstr("api_key"), testing::Not(HasSubstr("cret")))))
        << key;
  }
  EXPECT_THAT(problems("[[engine]]\nurl = 'http://a'\napi_key = 4711"),
              ElementsAre(testing::Not(HasSubstr("4711"))));
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
