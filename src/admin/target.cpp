#include "admin/target.hpp"

#include <algorithm>
#include <charconv>

#include <boost/asio/ip/address.hpp>

#include "wire/http_message.hpp"

namespace lmw::admin {

namespace {

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned char byte = 0;
    const auto digits = text.substr(i + 1, 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2) return std::nullopt;
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.find(':'));
}

}  // namespace

std::optional<Path> path_segments(std::string_view target) {
  auto path = target.substr(0, target.find('?'));
  Path segments;
  while (!path.empty()) {
    path.remove_prefix(path.starts_with('/') ? 1 : 0);
    const auto slash = path.find('/');
    auto segment = percent_decoded(path.substr(0, slash));
    if (!segment) return std::nullopt;
    segments.push_back(std::move(*segment));
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash);
  }
  return segments;
}

bool matches(const Path& path, std::string_view pattern) {
  for (const auto& segment : path) {
    if (pattern.empty()) return false;
    const auto wanted = pattern.substr(0, pattern.find('/'));
    if (wanted != "*" && wanted != segment) return false;
    pattern.remove_prefix(std::min(pattern.size(), wanted.size() + 1));
  }
  return pattern.empty() && !path.empty();
}

std::optional<std::string_view> query_value(std::string_view target, std::string_view name) {
  auto query = target.substr(std::min(target.find('?'), target.size()));
  while (!query.empty()) {
    query.remove_prefix(1);  // the ? or &
    const auto pair = query.substr(0, query.find('&'));
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('='))
      return pair.substr(name.size() + 1);
    query.remove_prefix(pair.size());
  }
  return std::nullopt;
}

std::string reachable_url(std::string_view url, std::string_view host_header) {
  for (const std::string_view any : {"http://0.0.0.0:", "http://[::]:"}) {
    if (!url.starts_with(any)) continue;
    const auto host = host_header.substr(0, host_header.find(':', host_header.find(']') + 1));
    return "http://" + std::string(host) + ":" + std::string(url.substr(any.size()));
  }
  return std::string(url);
}

bool is_trusted_host(std::string_view host_header, std::string_view listen_host) {
  const auto host = without_port(host_header);
  if (wire::equal_ignoring_case(host, "localhost")) return true;
  if (!listen_host.empty() && wire::equal_ignoring_case(host, listen_host)) return true;
  boost::system::error_code error;
  boost::asio::ip::make_address(std::string(host), error);
  return !error;
}

}  // namespace lmw::admin
