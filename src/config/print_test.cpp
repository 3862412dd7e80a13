#include "config/print.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/settings.hpp"

namespace lmw::config {
namespace {

using testing::HasSubstr;
using testing::Not;

Loaded loaded_from(std::string toml, std::vector<std::pair<std::string, std::string>> flags = {}) {
  auto loaded = load({.file = File{"w.toml", std::move(toml)}, .environment = {}, .flags = std::move(flags)});
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().front().message);
  return loaded ? *loaded : Loaded{};
}

constexpr auto rich = R"(
listen = "[::1]:80"
time_scale = 2.5
spill_threshold = 6
[limits]
body_bytes = 1048577
[timeouts]
connect = "1500ms"
[[engine]]
url = "http://a"
ranks = 8
[[engine]]
name = 'quote " and \ back'
url = "http://b/base"
[[model]]
name = "m"
engines = ["http://a"]
aliases = ["x*", 'y"']
affinity = false
)";

TEST(EffectiveToml, LoadsAgainAsTheSameConfiguration) {
  const auto original = loaded_from(rich);
  EXPECT_EQ(loaded_from(effective_toml(original)).config, original.config);
}

TEST(EffectiveToml, OfTheDefaultsLoadsAsTheDefaultsAndClaimsNoOrigin) {
  const auto text = effective_toml(Loaded{});
  EXPECT_EQ(loaded_from(text).config, Config{});
  EXPECT_THAT(text, Not(HasSubstr("  # ")));
}

TEST(EffectiveToml, SaysWhereEachOtherValueCameFrom) {
  const auto text = effective_toml(loaded_from("listen = ':1'\n[[engine]]\nurl = 'http://a'",
                                               {{"--limits-body-bytes", "1MiB"}, {"--engine", "http://b"}}));
  EXPECT_THAT(text, HasSubstr("listen = \":1\"  # w.toml:1:1\n"));
  EXPECT_THAT(text, HasSubstr("body_bytes = \"1MiB\"  # --limits-body-bytes\n"));
  EXPECT_THAT(text, HasSubstr("url = \"http://a\"  # w.toml:3:1\n"));
  EXPECT_THAT(text, HasSubstr("url = \"http://b\"  # --engine\n"));
  EXPECT_THAT(text, HasSubstr("admin_listen = \"127.0.0.1:8081\"\n"));
  EXPECT_THAT(text, HasSubstr("# ranks: discovered"));
}

TEST(EffectiveToml, MasksSecrets) {
  const auto text = effective_toml(loaded_from("[[engine]]\nurl = 'http://a'\napi_key = 'hunter2'"));
  EXPECT_THAT(text, Not(HasSubstr("hunter2")));
  EXPECT_THAT(text, HasSubstr("api_key = \"********\"  # w.toml:3:1"));
}

// --- files under docs/, written anew with LMWARDEN_UPDATE_DOCS=1

const std::filesystem::path docs = LMWARDEN_SOURCE_DIR "/docs";

std::string read(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream) << path;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void expect_current(const std::filesystem::path& path, const std::string& wanted) {
  if (std::getenv("LMWARDEN_UPDATE_DOCS")) std::ofstream(path, std::ios::binary) << wanted;
  EXPECT_EQ(read(path), wanted) << path << " is stale: run LMWARDEN_UPDATE_DOCS=1 config_test";
}

TEST(Documentation, HasTheTablesOfTheSettings) {
  const std::string begin = "<!-- settings: written by config_test -->\n", end = "<!-- end of settings -->\n";
  const auto page = read(docs / "configuration.md");
  const auto from = page.find(begin), to = page.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  expect_current(docs / "configuration.md",
                 page.substr(0, from) + begin + "\n" + settings_markdown() + "\n" + page.substr(to));
}

TEST(SampleFile, IsCurrent) { expect_current(docs / "lmwarden.toml", sample_toml()); }

TEST(SampleFile, ChangesNothingAsItIs) { EXPECT_EQ(loaded_from(sample_toml()).config, Config{}); }

TEST(SampleFile, LoadsWithEverySettingUncommented) {
  const auto text = std::regex_replace(sample_toml(), std::regex("\n#([^ ])"), "\n$1");
  const auto [config, origins] = loaded_from(text);
  for (const auto& setting : settings())
    EXPECT_TRUE(origins.contains(setting.spec.name)) << setting.spec.name;
  EXPECT_EQ(config.limits, Limits{});
  EXPECT_EQ(config.timeouts, Timeouts{});
  EXPECT_EQ(config.engines.size(), 1u);
  EXPECT_EQ(config.models.size(), 1u);
}

}  // namespace
}  // namespace lmw::config
