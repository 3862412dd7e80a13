#include "wire/http_message.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace lmw::wire {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return equal_ignoring_case(text.substr(0, prefix.size()), prefix);
}

bool one_of(std::string_view name, auto& names) {
  return std::ranges::any_of(names, [&](auto& other) { return equal_ignoring_case(name, other); });
}

// Calls `visit` with each element of a comma-separated value that is not empty (RFC 9110 §5.6.1).
void for_each_token(std::string_view list, auto visit) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    auto token = list.substr(0, comma);
    token.remove_prefix(std::min(token.find_first_not_of(" \t"), token.size()));
    token = token.substr(0, token.find_last_not_of(" \t") + 1);
    if (!token.empty()) visit(token);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

bool stays_alive(const Headers& headers, int minor) {
  if (headers.has_token("Connection", "close")) return false;
  return minor >= 1 || headers.has_token("Connection", "keep-alive");
}

constexpr auto hop_by_hop = std::to_array<std::string_view>({
    "Connection",
    "Keep-Alive",
    "Proxy-Authenticate",
    "Proxy-Authorization",
    "Proxy-Connection",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "Upgrade",
});

// What Connection must not be able to delete: it is for the engine, or says whose request this is.
bool end_to_end(std::string_view name) {
  static constexpr auto prefixes =
      std::to_array<std::string_view>({"X-", "Content-", "Anthropic-", "OpenAI-"});
  static constexpr auto names =
      std::to_array<std::string_view>({"Host", "Authorization", "Session-Id", "Session_Id", "Thread-Id"});
  return one_of(name, names) ||
         std::ranges::any_of(prefixes, [&](auto prefix) { return starts_with_ignoring_case(name, prefix); });
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

void Headers::set(std::string_view name, std::string_view value) {
  const auto same = [&](const Header& header) { return equal_ignoring_case(header.name, name); };
  const auto first = std::ranges::find_if(items_, same);
  if (first == items_.end()) return add(name, value);
  *first = {std::string(name), std::string(value)};
  items_.erase(std::remove_if(first + 1, items_.end(), same), items_.end());
}

void Headers::remove(std::string_view name) {
  std::erase_if(items_, [&](const Header& header) { return equal_ignoring_case(header.name, name); });
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const auto& header : items_)
    if (equal_ignoring_case(header.name, name)) return header.value;
  return std::nullopt;
}

std::size_t Headers::count(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      items_, [&](const Header& header) { return equal_ignoring_case(header.name, name); }));
}

bool Headers::has_token(std::string_view name, std::string_view token) const {
  bool found = false;
  for (const auto& header : items_) {
    if (!equal_ignoring_case(header.name, name)) continue;
    for_each_token(header.value, [&](std::string_view each) { found |= equal_ignoring_case(each, token); });
  }
  return found;
}

bool RequestHead::keep_alive() const { return stays_alive(headers, minor); }
bool ResponseHead::keep_alive() const { return stays_alive(headers, minor); }

void remove_hop_by_hop(Headers& headers) {
  std::vector<std::string> named;
  for (const auto& header : headers) {
    if (!equal_ignoring_case(header.name, "Connection")) continue;
    for_each_token(header.value, [&](std::string_view token) {
      if (!end_to_end(token)) named.emplace_back(token);
    });
  }
  for (const auto name : hop_by_hop) headers.remove(name);
  for (const auto& name : named) headers.remove(name);
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 101:
      return "Switching Protocols";
    case 103:
      return "Early Hints";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 426:
      return "Upgrade Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 499:
      return "Client Closed Request";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    case 529:
      return "Overloaded";
    default:
      return "";
  }
}

}  // namespace lmw::wire
