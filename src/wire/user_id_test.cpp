#include "wire/user_id.hpp"

#include <gtest/gtest.h>

namespace lmw::wire {
namespace {

TEST(SessionOfUserId, IsNothingForAnythingElse) {
  EXPECT_EQ(session_of_user_id("user_a_account_b_session_c"), "c");
  for (auto text :
       {"", "bob", "{", "{}", "{\"session_id\":\"57a1", "{\"session_id\":7}", "{\"session_id\":\"\"}",
        "{\"session_id\":\"x\"", "[\"session_id\"]", "user_a_account_b_session_", "user_a_session_c",
        "x_account_b_session_c", "user_a_session_b_account_c"}) {
    EXPECT_FALSE(session_of_user_id(text)) << text;
  }
}

}  // namespace
}  // namespace lmw::wire
