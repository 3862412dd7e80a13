#include "base/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lmw {
namespace {

using testing::HasSubstr;

std::string problem_of(std::string_view url) {
  const auto origin = parse_origin(url);
  return origin ? "none" : origin.error().message;
}

std::string listen_problem_of(std::string_view text) {
  const auto address = parse_listen(text);
  return address ? "none" : address.error().message;
}

TEST(Origin, HasAHostAPortAndABasePath) {
  EXPECT_EQ(parse_origin("http://gpu1:8000").value(), (Origin{"gpu1", 8000, ""}));
  EXPECT_EQ(parse_origin("http://10.0.0.7:8000/a/b/").value(), (Origin{"10.0.0.7", 8000, "/a/b"}));
  EXPECT_EQ(parse_origin("http://vllm.svc_1.example-x.org").value(),
            (Origin{"vllm.svc_1.example-x.org", 80, ""}));
}

TEST(Origin, EqualsHoweverItIsSpelt) {
  EXPECT_EQ(parse_origin("http://GPU1:80/").value(), parse_origin("http://gpu1").value());
  EXPECT_NE(parse_origin("http://gpu1/A").value(), parse_origin("http://gpu1/a").value());
}

TEST(Origin, TakesIpv6LiteralsInBrackets) {
  EXPECT_EQ(parse_origin("http://[::1]:8000/x").value(), (Origin{"::1", 8000, "/x"}));
  EXPECT_EQ(parse_origin("http://[FE80::1]").value(), (Origin{"fe80::1", 80, ""}));
  EXPECT_THAT(problem_of("http://::1:8000"), HasSubstr("needs brackets"));
  EXPECT_THAT(problem_of("http://[::1"), HasSubstr("']'"));
  EXPECT_THAT(problem_of("http://[1.2.3.4]:80"), HasSubstr("not an IPv6 address"));
  EXPECT_THAT(problem_of("http://[::1]8000"), HasSubstr("only a port"));
  EXPECT_THAT(problem_of(std::string_view("http://[::1\0x]", 14)), HasSubstr("not an IPv6 address"));
}

TEST(Origin, KeepsTheInterfaceOfALinkLocalAddressToItself) {
  const auto origin = parse_origin("http://[FE80::1%25Eth0.1]:8000/x").value();
  EXPECT_EQ(origin.host, "fe80::1%Eth0.1");
  EXPECT_EQ(origin.authority(), "[fe80::1]:8000") << "an interface means nothing to the engine";
  EXPECT_EQ(origin.url(), "http://[fe80::1%25Eth0.1]:8000/x");
  EXPECT_NE(origin, parse_origin("http://[fe80::1%25eth1]:8000/x").value());
  EXPECT_THAT(problem_of("http://[fe80::1%25]"), HasSubstr("not a network interface"));
  EXPECT_THAT(problem_of("http://[fe80::1%25a b]"), HasSubstr("not a network interface"));
  EXPECT_THAT(problem_of("http://[fe80::1%eth0]"), HasSubstr("not an IPv6 address"));
}

TEST(Origin, NamesWhatIsWrong) {
  EXPECT_THAT(problem_of("https://gpu1"), HasSubstr("terminate TLS in front"));
  EXPECT_THAT(problem_of("ftp://gpu1"), HasSubstr("only http://"));
  EXPECT_THAT(problem_of("HTTP://gpu1"), HasSubstr("only http://"));
  EXPECT_THAT(problem_of("gpu1:8000"), HasSubstr("starts with http://"));
  EXPECT_THAT(problem_of(""), HasSubstr("starts with http://"));
  EXPECT_THAT(problem_of("http://"), HasSubstr("host is missing"));
  EXPECT_THAT(problem_of("http://:8000"), HasSubstr("host is missing"));
  EXPECT_THAT(problem_of("http://u:p@gpu1"), HasSubstr("no user or password"));
  EXPECT_THAT(problem_of("http://gpu1?x"), HasSubstr("no query"));
  EXPECT_THAT(problem_of("http://gpu1/a b"), HasSubstr("spaces"));
  EXPECT_THAT(problem_of("http://gpu1/a\r\nx"), HasSubstr("spaces"));
  EXPECT_THAT(problem_of("http://gpu 1"), HasSubstr("not a host"));
  EXPECT_THAT(problem_of("http://300.1.1.1"), HasSubstr("not a host"));
}

TEST(Origin, NeedsAPortThatExists) {
  EXPECT_THAT(problem_of("http://gpu1:"), HasSubstr("not a port"));
  EXPECT_THAT(problem_of("http://gpu1:65536"), HasSubstr("not a port"));
  EXPECT_THAT(problem_of("http://gpu1:80x"), HasSubstr("not a port"));
  EXPECT_THAT(problem_of("http://gpu1:-1"), HasSubstr("not a port"));
  EXPECT_THAT(problem_of("http://gpu1:0"), HasSubstr("port 0"));
}

TEST(ListenAddress, IsAHostAndAPort) {
  EXPECT_EQ(parse_listen("127.0.0.1:8080").value(), (ListenAddress{"127.0.0.1", 8080}));
  EXPECT_EQ(parse_listen("localhost:0").value(), (ListenAddress{"localhost", 0}));
  EXPECT_EQ(parse_listen("[::1]:8080").value(), (ListenAddress{"::1", 8080}));
}

TEST(ListenAddress, WithoutAHostMeansAllInterfaces) {
  EXPECT_EQ(parse_listen(":8080").value(), (ListenAddress{"", 8080}));
}

TEST(ListenAddress, NamesWhatIsWrong) {
  EXPECT_THAT(listen_problem_of("8080"), HasSubstr("not a host; write host:port, [v6]:port or :port"));
  EXPECT_THAT(listen_problem_of("localhost"), HasSubstr("port is missing"));
  EXPECT_THAT(listen_problem_of(""), HasSubstr("port is missing"));
  EXPECT_THAT(listen_problem_of("[]:80"), HasSubstr("not an IPv6 address"));
  EXPECT_THAT(listen_problem_of("::1:8080"), HasSubstr("needs brackets"));
  EXPECT_THAT(listen_problem_of("http://x:80"), HasSubstr("needs brackets"));
  EXPECT_THAT(listen_problem_of("localhost:http"), HasSubstr("not a port"));
}

TEST(Loopback, IsWhatOnlyThisMachineReaches) {
  for (const auto* host : {"127.0.0.1", "127.9.9.9", "::1", "localhost"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (const auto* host : {"", "0.0.0.0", "::", "10.0.0.1", "box"}) EXPECT_FALSE(is_loopback(host)) << host;
}

}  // namespace
}  // namespace lmw
