// Where engines are and where we listen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace lmw::net {

// The origin of an engine, with the path that stands before its routes.
struct Origin {
  std::string host;  // without the brackets of an IPv6 literal
  std::uint16_t port = 80;
  std::string base_path;  // "" or "/base", no slash at the end

  std::string authority() const;  // host:port as a Host header has it
  std::string url() const;        // http://host:port/base
  friend bool operator==(const Origin&, const Origin&) = default;
};

// http://host[:port][/base]. Only http: other schemes, user info, queries and fragments are errors.
Result<Origin> parse_origin(std::string_view url);

struct ListenAddress {
  std::string host;  // "" = all interfaces
  std::uint16_t port = 0;
};

// host:port, [v6]:port or :port.
Result<ListenAddress> parse_listen(std::string_view text);

}  // namespace lmw::net
