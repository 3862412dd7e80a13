#include "config/sources.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lmw::config {
namespace {

using testing::HasSubstr;

class SourcesTest : public testing::Test {
 protected:
  SourcesTest() { std::filesystem::create_directory(folder_); }
  ~SourcesTest() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& text) {
    const auto path = (folder_ / "lmwarden.toml").string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      ("lmwarden_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(SourcesTest, HoldTheFileTheEnvironmentAndTheFlags) {
  setenv("LMWARDEN_LOG_LEVEL", "warn", 1);
  const auto sources = gather_sources(write("listen = ':1'"), {{"--affinity", "off"}});
  ASSERT_TRUE(sources);
  const auto loaded = load(*sources);
  unsetenv("LMWARDEN_LOG_LEVEL");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->config.listen, ":1");
  EXPECT_EQ(loaded->config.log_level, "warn");
  EXPECT_FALSE(loaded->config.affinity);
}

TEST_F(SourcesTest, WithoutAPathHaveNoFile) {
  const auto sources = gather_sources("", {});
  ASSERT_TRUE(sources);
  EXPECT_FALSE(sources->file);
}

TEST_F(SourcesTest, RefuseWhatCantBeRead) {
  const auto missing = gather_sources((folder_ / "none.toml").string(), {});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("none.toml': No such file"));
  const auto directory = gather_sources(folder_.string(), {});
  ASSERT_FALSE(directory);
  EXPECT_THAT(directory.error().message, HasSubstr("Is a directory"));
}

TEST_F(SourcesTest, RefuseAFileThatIsTooLarge) {
  EXPECT_TRUE(gather_sources(write(std::string(max_file_bytes, '#')), {}));
  const auto larger = gather_sources(write(std::string(max_file_bytes + 1, '#')), {});
  ASSERT_FALSE(larger);
  EXPECT_THAT(larger.error().message, HasSubstr("is larger than 1MiB"));
}

}  // namespace
}  // namespace lmw::config
