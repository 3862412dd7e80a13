#include "config/value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/toml_reader.hpp"

namespace lmw::config {
namespace {

using testing::ElementsAre;

TEST(Value, OfATextWithCommasIsAListWithoutTheBlanks) {
  std::vector<std::string> list;
  EXPECT_THAT(std::get<std::vector<std::string>>(from_text(&list, " a,b\t, , c d")),
              ElementsAre("a", "b", "", "c d"));
  EXPECT_THAT(std::get<std::vector<std::string>>(from_text(&list, "")), ElementsAre(""));
}

TEST(Value, OfATextThatIsNoneOfItsFieldStaysAText) {
  bool flag = false;
  double number = 0;
  std::optional<int> whole;
  EXPECT_EQ(std::get<std::string>(from_text(&flag, "yes")), "yes");
  EXPECT_EQ(std::get<std::string>(from_text(&number, "1.5x")), "1.5x");
  EXPECT_EQ(std::get<std::string>(from_text(&whole, "7 ")), "7 ");
  EXPECT_EQ(std::get<std::int64_t>(from_text(&whole, "-7")), -7);
}

TEST(Value, IsLeftAloneByAnAssignmentThatFails) {
  std::optional<int> whole = 3;
  EXPECT_FALSE(assign({.low = 1, .high = 5}, &whole, Value(std::int64_t{9})));
  EXPECT_EQ(whole, 3);
}

TEST(Value, OfSecretsIsMaskedUnlessEmpty) {
  std::string key;
  EXPECT_EQ(to_toml({.is_secret = true}, &key), "\"\"");
  key = "k";
  EXPECT_EQ(to_toml({.is_secret = true}, &key), "\"********\"");
}

TEST(Quote, MakesATomlStringOfAnyText) {
  const std::string text = "a\"b\\c\n\t\x01\x7f é";
  const auto entries = read_toml("x = " + quote(text), "f");
  ASSERT_TRUE(entries) << entries.error().message;
  EXPECT_EQ(std::get<std::string>(entries->front().value), text);
}

}  // namespace
}  // namespace lmw::config
