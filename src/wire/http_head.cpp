#include "wire/http_head.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace lmw::wire {
namespace {

constexpr auto bad_framing = std::unexpected(ReadFault::bad_framing);

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// RFC 9110 §5.6.2.
bool is_token_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("!#$%&'*+-.^_`|~").contains(c);
}

bool is_token(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_token_char); }

// Visible ASCII. A fragment is never sent (RFC 9112 §3.2), and readers disagree about what it is part of.
bool is_target_char(char c) { return c > ' ' && c < 0x7f && c != '#'; }

std::size_t scheme_size(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (equal_ignoring_case(target.substr(0, scheme.size()), scheme)) return scheme.size();
  return 0;
}

// Origin form, absolute form, or "*" for OPTIONS. We are no tunnel: the authority form of CONNECT is refused.
bool is_target(std::string_view target, std::string_view method) {
  if (!std::ranges::all_of(target, is_target_char)) return false;
  return target.starts_with('/') || scheme_size(target) > 0 || (target == "*" && method == "OPTIONS");
}

std::expected<int, ReadFault> parse_version(std::string_view text) {
  const bool well_formed = text.size() == 8 && text.starts_with("HTTP/") && is_digit(text[5]) &&
                           text[6] == '.' && is_digit(text[7]);
  if (!well_formed) return bad_framing;
  if (text[5] != '1' || text[7] > '1') return std::unexpected(ReadFault::version);
  return text[7] - '0';
}

std::string_view trim(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

// What Content-Length and Transfer-Encoding say together; nothing when there is neither.
std::expected<std::optional<BodyFraming>, ReadFault> explicit_framing(const Headers& headers, int minor) {
  const auto lengths = headers.count("Content-Length");
  const auto codings = headers.count("Transfer-Encoding");
  if (lengths + codings > 1) return bad_framing;
  if (codings == 1) {
    if (minor == 0) return bad_framing;  // RFC 9112 §6.1
    return BodyFraming{.kind = BodyFraming::Kind::chunked};
  }
  if (lengths == 0) return std::nullopt;
  const auto length = parse_size(*headers.find("Content-Length"), 10);
  if (!length) return bad_framing;
  return BodyFraming{.length = *length};
}

std::expected<void, ReadFault> reduce_to_origin_form(RequestHead& head) {
  const auto scheme = scheme_size(head.target);
  if (scheme == 0) return {};
  const auto path = std::min(head.target.find_first_of("/?", scheme), head.target.size());
  const auto authority = head.target.substr(scheme, path - scheme);
  if (authority.empty() || authority.contains('@'))
    return bad_framing;  // RFC 9110 §4.2.4: no user information
  head.headers.set("Host", authority);
  head.target.erase(0, path);
  if (!head.target.starts_with('/')) head.target.insert(0, 1, '/');
  return {};
}

}  // namespace

std::optional<std::uint64_t> parse_size(std::string_view digits, int base) {
  std::uint64_t size = 0;
  const char* const begin = digits.data();
  const char* const end = begin + digits.size();
  const auto [stop, error] = std::from_chars(begin, end, size, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return size;
}

std::expected<void, ReadFault> parse_request_line(std::string_view line, RequestHead& head) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == last) return bad_framing;  // one space, or none
  const auto minor = parse_version(line.substr(last + 1));
  if (!minor) return std::unexpected(minor.error());
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  head.minor = *minor;
  if (!is_token(head.method) || !is_target(head.target, head.method)) return bad_framing;
  return {};
}

std::expected<void, ReadFault> parse_status_line(std::string_view line, ResponseHead& head) {
  const auto minor = parse_version(line.substr(0, 8));
  if (!minor) return std::unexpected(minor.error());
  const auto rest = line.substr(8);
  // The space before an empty reason is required, but some servers leave it out and nothing depends on it.
  const bool well_formed = rest.size() >= 4 && rest[0] == ' ' && rest[1] >= '1' && rest[1] <= '5' &&
                           is_digit(rest[2]) && is_digit(rest[3]) && (rest.size() == 4 || rest[4] == ' ');
  if (!well_formed) return bad_framing;
  head.minor = *minor;
  head.status = (rest[1] - '0') * 100 + (rest[2] - '0') * 10 + (rest[3] - '0');
  head.reason = rest.substr(std::min<std::size_t>(rest.size(), 5));
  return {};
}

std::expected<void, ReadFault> parse_header_line(std::string_view line, Headers& headers) {
  const auto colon = line.find(':');
  if (colon == line.npos) return bad_framing;
  const auto name = line.substr(0, colon);
  if (!is_token(name)) return bad_framing;  // also obs-fold and whitespace before the colon
  const auto raw = line.substr(colon + 1);
  const auto value = trim(raw);
  if (equal_ignoring_case(name, "Transfer-Encoding")) {
    // Whitespace that others trim differently ("chunked\t") has hidden bodies from one of two readers before.
    const bool plain = raw == value || (raw.starts_with(' ') && raw.substr(1) == value);
    if (!plain || !equal_ignoring_case(value, "chunked")) return bad_framing;
  }
  headers.add(name, value);
  return {};
}

std::expected<BodyFraming, ReadFault> complete_request(RequestHead& head) {
  const auto framing = explicit_framing(head.headers, head.minor);
  if (!framing) return std::unexpected(framing.error());
  const auto hosts = head.headers.count("Host");
  if (hosts > 1 || (hosts == 0 && head.minor == 1)) return bad_framing;
  if (const auto reduced = reduce_to_origin_form(head); !reduced) return std::unexpected(reduced.error());
  return framing->value_or(BodyFraming{});
}

std::expected<BodyFraming, ReadFault> response_framing(const ResponseHead& head, bool no_body) {
  const auto framing = explicit_framing(head.headers, head.minor);
  if (!framing) return std::unexpected(framing.error());
  if (no_body || head.status < 200 || head.status == 204 || head.status == 304) return BodyFraming{};
  return framing->value_or(BodyFraming{.kind = BodyFraming::Kind::until_close});
}

}  // namespace lmw::wire
