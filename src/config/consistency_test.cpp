#include "config/consistency.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lmw::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> problems(std::string toml,
                                  std::vector<std::pair<std::string, std::string>> flags = {}) {
  const auto loaded =
      load({.file = File{"f", std::move(toml)}, .environment = {}, .flags = std::move(flags)});
  std::vector<std::string> result;
  if (loaded) return result;
  for (const auto& error : loaded.error()) result.push_back(error.message);
  return result;
}

TEST(Consistency, AnEngineNeedsAUrlAndAModelAName) {
  EXPECT_THAT(problems("[[engine]]\nranks = 2\n[[model]]\n"),
              ElementsAre("f:1:1: url: is missing", "f:3:1: name: is missing"));
}

TEST(Consistency, NoTwoEnginesShareAUrlOrAName) {
  EXPECT_THAT(problems("[[engine]]\nurl='http://a'\n[[engine]]\nurl='http://A:80/'"),
              ElementsAre("f:4:1: url: there is an engine at 'http://A:80' already"));
  EXPECT_THAT(problems("[[engine]]\nurl='http://a'\nname='x'\n[[engine]]\nurl='http://b'\nname='x'"),
              ElementsAre("f:6:1: name: there is an engine 'x' already"));
  EXPECT_THAT(problems("", {{"--engine", "http://a"}, {"--engine", "http://a/"}}),
              ElementsAre("--engine: url: there is an engine at 'http://a' already"));
  EXPECT_THAT(problems("[[engine]]\nurl='http://a/x'\n[[engine]]\nurl='http://a/y'"), IsEmpty());
}

TEST(Consistency, NoTwoModelsShareAName) {
  EXPECT_THAT(problems("[[model]]\nname='m'\n[[model]]\nname='m'"),
              ElementsAre("f:4:1: name: there is a model 'm' already"));
}

TEST(Consistency, AnAliasBelongsToOneModel) {
  EXPECT_THAT(problems("[[model]]\nname='m'\naliases=['a*']\n[[model]]\nname='n'\naliases=['b', 'a*', 'm']"),
              ElementsAre("f:6:1: aliases: 'a*' is a name of model 'm' already",
                          "f:6:1: aliases: 'm' is a name of model 'm' already"));
  EXPECT_THAT(problems("[[model]]\nname='m'\naliases=['a', 'a']"),
              ElementsAre("f:3:1: aliases: 'a' is a name of model 'm' already"));
  EXPECT_THAT(problems("[[model]]\nname='m'\naliases=['a*']\n[[model]]\nname='n'\naliases=['a?']"),
              IsEmpty());
}

TEST(Consistency, AModelNamesEnginesThatExistOnceEach) {
  EXPECT_THAT(problems("[[model]]\nname='m'\nengines=['x', 'http://a', 'http://b', 'http://a/']\n"
                       "[[engine]]\nurl='http://a'\nname='x'"),
              ElementsAre("f:3:1: engines: 'http://a' stands there twice",
                          "f:3:1: engines: there is no engine 'http://b'",
                          "f:3:1: engines: 'http://a/' stands there twice"));
}

TEST(Consistency, AnEngineOfAFlagMayServeAModelOfTheFile) {
  EXPECT_THAT(problems("[[model]]\nname='m'\nengines=['http://a']", {{"--engine", "http://a:80"}}),
              IsEmpty());
}

TEST(Consistency, AnEngineWithABadUrlIsNotAlsoUnknown) {
  EXPECT_THAT(problems("[[model]]\nname='m'\nengines=['https://a']\n[[engine]]\nurl='https://a'").size(), 1u);
}

TEST(Consistency, TheTwoListenersHaveAddressesOfTheirOwn) {
  EXPECT_THAT(
      problems("listen = '127.0.0.1:8081'"),
      ElementsAre("f:1:1: listen: listen '127.0.0.1:8081' and admin_listen '127.0.0.1:8081' overlap"));
  EXPECT_THAT(problems("admin_listen = ':8080'\nadmin_token = '0123456789abcdef'").size(), 1u);
  EXPECT_THAT(problems("listen = '127.0.0.1:0'\nadmin_listen = '127.0.0.1:0'"), IsEmpty());
  EXPECT_THAT(problems("listen = '10.0.0.1:8081'"), IsEmpty());
}

TEST(Consistency, AnAdminSideThatOthersReachNeedsAToken) {
  EXPECT_THAT(
      problems("admin_listen = '0.0.0.0:8081'"),
      ElementsAre("f:1:1: admin_listen: '0.0.0.0:8081' can be reached from elsewhere: set admin_token too"));
  EXPECT_THAT(problems("admin_listen = ':8081'\nadmin_token = '0123456789abcdef'"), IsEmpty());
  EXPECT_THAT(problems("admin_listen = ':8081'\nadmin_token = 'short'"),
              ElementsAre("f:2:1: admin_token: must have at least 16 characters"));
  EXPECT_THAT(problems("admin_listen = 'localhost:8081'"), IsEmpty());
}

}  // namespace
}  // namespace lmw::config
