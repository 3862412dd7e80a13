#include "report/file.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace lmw::report {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(WriteFile, ReplacesWhatIsThere) {
  const auto path = testing::TempDir() + "lmwarden-report";
  ASSERT_TRUE(write_file(path, "old"));
  ASSERT_TRUE(write_file(path, "new"));
  EXPECT_EQ(read(path), "new");
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  std::filesystem::remove(path);
}

TEST(WriteFile, SaysWhyItFails) {
  const auto full = write_file("/dev/full", "text");
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().message.find("No space left"), std::string::npos) << full.error().message;
  EXPECT_FALSE(write_file("/no/such/folder/file", "text"));
}

}  // namespace
}  // namespace lmw::report
