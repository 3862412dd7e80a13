// Where engines are and where we listen, as text that a person wrote.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace lmw {

struct Origin {
  std::string host;  // lower case, without the brackets of an IPv6 literal; that one may end in %interface
  std::uint16_t port = 80;
  std::string base_path;  // "" or "/base", no slash at the end

  std::string authority() const;  // host:port as a Host header has it: without the interface
  std::string url() const;        // http://host:port/base
  friend bool operator==(const Origin&, const Origin&) = default;
};

// http://host[:port][/base]. Only http; user info, queries and fragments are errors.
Result<Origin> parse_origin(std::string_view url);

// Whether two texts name the same engine: equal origins, or the same text where one is no URL.
bool is_same_origin(std::string_view a, std::string_view b);

struct ListenAddress {
  std::string host;  // without brackets; "" = all interfaces
  std::uint16_t port = 0;

  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

// host:port, [v6]:port or :port; port 0 is any free one.
Result<ListenAddress> parse_listen(std::string_view text);

// Whether only this machine reaches a listener of that host.
bool is_loopback(std::string_view host);

}  // namespace lmw
