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

}  // namespace
}  // namespace lmw::admin
