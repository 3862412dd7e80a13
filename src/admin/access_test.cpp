#include "admin/access.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lmw::admin {
namespace {

using Verdict = Access::Verdict;
using namespace std::chrono_literals;

constexpr Access::Time start{};
constexpr std::string_view token = "correct-horse-battery";

wire::RequestHead with(std::string_view name, std::string_view value) {
  wire::RequestHead head{.method = "GET", .target = "/"};
  head.headers.add(name, value);
  return head;
}

TEST(Access, IsOpenWithoutAToken) {
  Access access("", "session");
  EXPECT_EQ(access.check({}, start), Verdict::allowed);
}

TEST(Access, NeedsTheTokenOrTheCookieOfThisProcess) {
  Access access{std::string(token), "0123"};
  EXPECT_EQ(access.check({}, start), Verdict::denied);
  EXPECT_EQ(access.check(with("Authorization", "Bearer correct-horse-battery"), start), Verdict::allowed);
  EXPECT_EQ(access.check(with("Authorization", "bearer  correct-horse-battery "), start), Verdict::allowed);
  EXPECT_EQ(access.check(with("Authorization", "Bearer correct-horse-batterx"), start), Verdict::denied);
  EXPECT_EQ(access.check(with("Authorization", "Bearer "), start), Verdict::denied);
  EXPECT_EQ(access.check(with("Authorization", "Basic correct-horse-battery"), start), Verdict::denied);
  EXPECT_EQ(access.check(with("Cookie", "a=b; lmwarden_admin=0123"), start), Verdict::allowed);
  EXPECT_EQ(access.check(with("Cookie", "lmwarden_admin=0124"), start), Verdict::denied);
  EXPECT_EQ(access.check(with("Cookie", "lmwarden_admin="), start), Verdict::denied);
  EXPECT_EQ(access.check(with("Cookie", "xlmwarden_admin=0123; lmwarden_admin"), start), Verdict::denied);
}

TEST(Access, MakesThoseWhoGuessWaitTwiceAsLongEachTime) {
  Access access{std::string(token), "0123"};
  auto now = start + 1h;
  for (int i = 0; i < Access::free_attempts; ++i)
    EXPECT_EQ(access.check_token("guess", now), Verdict::denied);
  EXPECT_EQ(access.check_token(token, now), Verdict::wait) << "the right one must not be told apart";
  EXPECT_EQ(access.wait(now), 1);
  now += 1s;
  EXPECT_EQ(access.check_token("guess", now), Verdict::denied);
  EXPECT_EQ(access.check_token("guess", now + 1900ms), Verdict::wait);
  EXPECT_EQ(access.check(with("Cookie", "lmwarden_admin=0123"), now), Verdict::allowed)
      << "who is in stays in";
  EXPECT_EQ(access.check_token(token, now + 2s), Verdict::allowed);
  for (int i = 0; i < 40; ++i) {
    now += 2min;
    access.check_token("guess", now);
  }
  EXPECT_EQ(access.wait(now), 60);
}

TEST(Access, GivesACookieThatScriptsAndOtherSitesDoNotGet) {
  EXPECT_EQ(Access(std::string(token), "0123").cookie(),
            "lmwarden_admin=0123; Path=/; HttpOnly; SameSite=Strict");
  EXPECT_NE(random_session(), random_session());
  EXPECT_EQ(random_session().size(), 32u);
}

TEST(OwnChange, IsJsonFromThisHost) {
  const auto change = [](std::string_view type, std::optional<std::string_view> origin) {
    auto head = with("Host", "127.0.0.1:8081");
    head.headers.add("Content-Type", type);
    if (origin) head.headers.add("Origin", *origin);
    return is_own_change(head);
  };
  EXPECT_TRUE(change("application/json", {}));
  EXPECT_TRUE(change("Application/JSON; charset=utf-8", "http://127.0.0.1:8081"));
  EXPECT_TRUE(change("application/json", "https://127.0.0.1:8081"));
  EXPECT_FALSE(change("application/json", "http://evil.example"));
  EXPECT_FALSE(change("application/json", "http://127.0.0.1:8080"));
  EXPECT_FALSE(change("application/json", "null"));
  EXPECT_FALSE(change("text/plain", {}));
  EXPECT_FALSE(change("application/x-www-form-urlencoded", {}));
}

}  // namespace
}  // namespace lmw::admin
