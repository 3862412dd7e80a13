#include "base/url.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <arpa/inet.h>
#include <fmt/format.h>

namespace lmw {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) { return lower(c); });
  return result;
}

bool is_literal(int family, std::string_view text) {
  in6_addr address;  // large enough for both families
  return !text.contains('\0') && inet_pton(family, std::string(text).c_str(), &address) == 1;
}

// RFC 3986 §2.3, but for the tilde.
bool is_unreserved(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool is_host(std::string_view host) {
  constexpr std::string_view digits = "0123456789.";
  if (host.empty()) return false;
  if (host.find_first_not_of(digits) == std::string_view::npos) return is_literal(AF_INET, host);
  return std::ranges::all_of(host, is_unreserved);
}

Result<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) {
    return failure(fmt::format("'{}' is not a port", text));
  }
  return port;
}

// What stands in the brackets: an address, and perhaps `%25` and the interface it is reached through (RFC
// 6874). In a host it is `%` alone, as resolvers read it.
Result<std::string> parse_ipv6(std::string_view text) {
  const auto mark = std::min(text.find("%25"), text.size());
  const auto address = text.substr(0, mark);
  if (!is_literal(AF_INET6, address)) return failure(fmt::format("'{}' is not an IPv6 address", text));
  if (mark == text.size()) return lower(address);
  const auto zone = text.substr(mark + 3);
  if (zone.empty() || !std::ranges::all_of(zone, is_unreserved))
    return failure(fmt::format("'{}' is not a network interface", zone));
  return fmt::format("{}%{}", lower(address), zone);
}

struct Authority {
  std::string host;  // "" where the text starts with the port
  std::optional<std::uint16_t> port;
};

// Splits `host:port` and `[v6]:port`; the host is checked, if there is one.
Result<Authority> parse_authority(std::string_view text) {
  Authority result;
  std::string_view rest;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return failure("the ']' of the IPv6 address is missing");
    auto host = parse_ipv6(text.substr(1, close - 1));
    if (!host) return std::unexpected(host.error());
    result.host = std::move(*host);
    rest = text.substr(close + 1);
    if (!rest.empty() && rest.front() != ':') return failure("only a port may follow the IPv6 address");
  } else {
    const auto colon = std::min(text.find(':'), text.size());
    result.host = lower(text.substr(0, colon));
    rest = text.substr(colon);
    if (rest.find(':', 1) != std::string_view::npos)
      return failure("an IPv6 address needs brackets, as in [::1]:8080");
    if (!result.host.empty() && !is_host(result.host))
      return failure(fmt::format("'{}' is not a host", result.host));
  }
  if (rest.empty()) return result;
  const auto port = parse_port(rest.substr(1));
  if (!port) return std::unexpected(port.error());
  result.port = *port;
  return result;
}

// What may stand in the target of a request as it is.
bool is_path(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f && c != '?' && c != '#'; });
}

Result<std::string_view> after_scheme(std::string_view url) {
  const auto colon = url.find("://");
  if (colon == std::string_view::npos) return failure("an engine's URL starts with http://");
  const auto scheme = url.substr(0, colon);
  if (scheme == "https") return failure("https is not supported yet; terminate TLS in front of the engine");
  if (scheme != "http") return failure("only http:// is supported");
  return url.substr(colon + 3);
}

}  // namespace

std::string Origin::authority() const {
  if (!host.contains(':')) return fmt::format("{}:{}", host, port);
  return fmt::format("[{}]:{}", host.substr(0, host.find('%')), port);
}

std::string Origin::url() const {
  const auto zone = host.find('%');
  if (zone == std::string::npos) return "http://" + authority() + base_path;
  return fmt::format("http://[{}%25{}]:{}{}", host.substr(0, zone), host.substr(zone + 1), port, base_path);
}

Result<Origin> parse_origin(std::string_view url) {
  const auto rest = after_scheme(url);
  if (!rest) return std::unexpected(rest.error());
  const auto slash = std::min(rest->find_first_of("/?#"), rest->size());
  auto path = rest->substr(slash);
  if (!is_path(path)) return failure("a URL of an engine has no query, fragment or spaces");
  if (rest->substr(0, slash).contains('@'))
    return failure("a URL of an engine has no user or password; see api_key");

  auto authority = parse_authority(rest->substr(0, slash));
  if (!authority) return std::unexpected(authority.error());
  if (authority->host.empty()) return failure("the host is missing");
  if (authority->port == 0) return failure("port 0 is nowhere to connect to");
  while (path.ends_with('/')) path.remove_suffix(1);
  return Origin{std::move(authority->host), authority->port.value_or(80), std::string(path)};
}

bool is_same_origin(std::string_view a, std::string_view b) {
  const auto left = parse_origin(a), right = parse_origin(b);
  return left && right ? *left == *right : a == b;
}

Result<ListenAddress> parse_listen(std::string_view text) {
  constexpr std::string_view form = "write host:port, [v6]:port or :port";
  auto authority = parse_authority(text);
  if (!authority) return failure(fmt::format("{}; {}", authority.error().message, form));
  if (!authority->port) return failure(fmt::format("the port is missing; {}", form));
  return ListenAddress{std::move(authority->host), *authority->port};
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace lmw
