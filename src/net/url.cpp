#include "net/url.hpp"

#include <charconv>

#include <fmt/format.h>

namespace lmw::net {

namespace {

struct HostPort {
  std::string host;
  std::string_view port;  // "" when there is none
};

// host, host:port, [v6], [v6]:port.
Result<HostPort> split_host_port(std::string_view text) {
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return failure("the bracket of the IPv6 address is not closed");
    const auto rest = text.substr(close + 1);
    if (!rest.empty() && !rest.starts_with(':'))
      return failure("something other than a port follows the bracket");
    return HostPort{std::string(text.substr(1, close - 1)), rest.empty() ? rest : rest.substr(1)};
  }
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return HostPort{std::string(text), {}};
  if (text.find(':', colon + 1) != std::string_view::npos)
    return failure("an IPv6 address needs brackets: [::1]:8000");
  return HostPort{std::string(text.substr(0, colon)), text.substr(colon + 1)};
}

Result<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) {
    return failure(fmt::format("'{}' is not a port (0 to 65535)", text));
  }
  return port;
}

std::string bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : '[' + host + ']';
}

}  // namespace

std::string Origin::authority() const { return fmt::format("{}:{}", bracketed(host), port); }

std::string Origin::url() const { return "http://" + authority() + base_path; }

Result<Origin> parse_origin(std::string_view url) {
  constexpr std::string_view scheme = "http://";
  const auto fail = [&](std::string_view why) { return failure(fmt::format("'{}': {}", url, why)); };
  if (url.starts_with("https://")) return fail("https is not supported yet; end TLS in front of the engine");
  if (!url.starts_with(scheme)) return fail("an engine's URL starts with http://");
  auto rest = url.substr(scheme.size());
  if (rest.find_first_of("?#@ ") != std::string_view::npos)
    return fail("only host, port and a base path are allowed");
  const auto slash = rest.find('/');
  auto base = slash == std::string_view::npos ? std::string_view() : rest.substr(slash);
  while (base.ends_with('/')) base.remove_suffix(1);
  auto parts = split_host_port(rest.substr(0, slash));
  if (!parts) return fail(parts.error().message);
  if (parts->host.empty()) return fail("the host is missing");
  Origin origin{std::move(parts->host), 80, std::string(base)};
  if (!parts->port.empty()) {
    const auto port = parse_port(parts->port);
    if (!port) return fail(port.error().message);
    if (*port == 0) return fail("port 0 can't be connected to");
    origin.port = *port;
  }
  return origin;
}

Result<ListenAddress> parse_listen(std::string_view text) {
  auto parts = split_host_port(text);
  if (!parts) return failure(fmt::format("'{}': {}", text, parts.error().message));
  if (parts->port.empty()) return failure(fmt::format("'{}': the port is missing; write host:port", text));
  const auto port = parse_port(parts->port);
  if (!port) return failure(fmt::format("'{}': {}", text, port.error().message));
  return ListenAddress{std::move(parts->host), *port};
}

}  // namespace lmw::net
