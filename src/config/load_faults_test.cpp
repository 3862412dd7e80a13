// What is wrong with a configuration, said in full and in words.
#include <gmock/gmock.h>

#include "config/load_fixture.hpp"

namespace lmw::config {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

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

}  // namespace
}  // namespace lmw::config
