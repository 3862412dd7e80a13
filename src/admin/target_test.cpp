#include "admin/target.hpp"

#include <gtest/gtest.h>

namespace lmw::admin {
namespace {

using Segments = std::vector<std::string>;

TEST(PathSegments, DecodeNamesThatHaveASlash) {
  EXPECT_EQ(path_segments("/admin/api/models/Org%2FName/routing?x=1"),
            (Segments{"admin", "api", "models", "Org/Name", "routing"}));
  EXPECT_EQ(path_segments("/metrics"), (Segments{"metrics"}));
  EXPECT_EQ(path_segments("/"), (Segments{""}));
}

TEST(PathSegments, RefuseMalformedEscapes) {
  for (const auto* target : {"/%", "/%2", "/%zz", "/a%2"}) EXPECT_FALSE(path_segments(target)) << target;
}

TEST(PathPattern, MatchesSegmentBySegment) {
  EXPECT_TRUE(matches({"admin", "api", "models", "Org/Name", "routing"}, "admin/api/models/*/routing"));
  EXPECT_TRUE(matches({"metrics"}, "metrics"));
  for (const Path& other : {Path{}, Path{""}, Path{"a"}, Path{"a", "b", "c"}, Path{"a", "x"}, Path{"a/b"}}) {
    EXPECT_FALSE(matches(other, "a/b"));
  }
  EXPECT_FALSE(matches({"a", "b"}, "a/b/*"));
}

TEST(TrustedHost, IsAnAddressOrLocalhostOrTheOneWeListenOn) {
  for (const auto* host : {"127.0.0.1:8081", "localhost:8081", "LOCALHOST", "[::1]:8081", "10.0.0.7"}) {
    EXPECT_TRUE(is_trusted_host(host, "127.0.0.1")) << host;
  }
  EXPECT_TRUE(is_trusted_host("gpu-box:8081", "gpu-box"));
}

TEST(TrustedHost, IsNoNameThatSomebodyElsesDnsMayPointHere) {
  for (const auto* host :
       {"evil.example", "evil.example:8081", "", "127.0.0.1.evil.example", "localhost.evil.example"}) {
    EXPECT_FALSE(is_trusted_host(host, "127.0.0.1")) << host;
    EXPECT_FALSE(is_trusted_host(host, "")) << host;
  }
}

TEST(Query, FindsAValueByItsWholeName) {
  EXPECT_EQ(query_value("/a?span=1h", "span"), "1h");
  EXPECT_EQ(query_value("/a?xspan=1&span=7d&b", "span"), "7d");
  EXPECT_EQ(query_value("/a?span", "span"), std::nullopt);
  EXPECT_EQ(query_value("/a?spanner=1", "span"), std::nullopt);
  EXPECT_EQ(query_value("/a?span=", "span"), "");
  EXPECT_EQ(query_value("/span=1", "span"), std::nullopt);
}

TEST(ReachableUrl, HasTheHostThatTheSenderUsed) {
  EXPECT_EQ(reachable_url("http://127.0.0.1:8080", "box:8081"), "http://127.0.0.1:8080");
  EXPECT_EQ(reachable_url("http://0.0.0.0:8080", "10.0.0.7:8081"), "http://10.0.0.7:8080");
  EXPECT_EQ(reachable_url("http://0.0.0.0:8080", "box"), "http://box:8080");
  EXPECT_EQ(reachable_url("http://[::]:8080", "[fe80::1]:8081"), "http://[fe80::1]:8080");
}

}  // namespace
}  // namespace lmw::admin
