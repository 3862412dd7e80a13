// Heads of HTTP/1.1 messages (RFC 9112) as values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lmw::wire {

// ASCII, as header names are.
bool equal_ignoring_case(std::string_view a, std::string_view b);

struct Header {
  std::string name;
  std::string value;
};

// In order of arrival, with duplicates. Names compare without regard to case.
class Headers {
 public:
  void add(std::string_view name, std::string_view value) {
    items_.push_back({std::string(name), std::string(value)});
  }
  // Replaces all of that name by one, or adds it.
  void set(std::string_view name, std::string_view value);
  void remove(std::string_view name);

  // The first of that name.
  std::optional<std::string_view> find(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  // Whether a comma-separated header of that name has `token` in any of its lines (case ignored).
  bool has_token(std::string_view name, std::string_view token) const;

  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  std::size_t size() const { return items_.size(); }

 private:
  std::vector<Header> items_;
};

struct RequestHead {
  std::string method;
  std::string target;  // origin form: path and query, as sent; "*" for OPTIONS
  int minor = 1;       // HTTP/1.minor
  Headers headers;

  std::string_view path() const { return std::string_view(target).substr(0, target.find('?')); }
  // What its sender wants: HTTP/1.1 unless Connection says close, HTTP/1.0 only if it says keep-alive.
  bool keep_alive() const;
};

struct ResponseHead {
  int status = 0;
  std::string reason;
  int minor = 1;
  Headers headers;

  bool keep_alive() const;
};

// Drops the headers that belong to one connection (RFC 9110 §7.6.1): Connection, Keep-Alive,
// Proxy-Connection, TE, Trailer, Transfer-Encoding, Upgrade; Proxy-Authenticate and Proxy-Authorization,
// which are between a client and its next proxy (§11.7); and those that Connection names. Connection can't
// name away what identifies or describes a message: Host, Authorization, Content-*, X-*, Anthropic-*,
// OpenAI-* and the ids Session-Id, Session_Id and Thread-Id stay.
void remove_hop_by_hop(Headers& headers);

// "Not Found" for 404; "" when unknown.
std::string_view reason_phrase(int status);

}  // namespace lmw::wire
