// One answer of the admin side.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "wire/http_message.hpp"
#include "wire/splice.hpp"

namespace lmw::admin {

struct Response {
  int status = 200;
  std::string body;
  std::string_view type = "application/json";
  wire::Headers headers;     // beside Content-Type, Cache-Control and those that every answer has
  bool may_be_kept = false;  // by a cache that asks each time whether it is current

  static Response error(int status, std::string_view message) {
    return {status,
            fmt::format("{{\"error\":{{\"message\":{}}}}}\n", wire::json_string(message)),
            "application/json",
            {}};
  }
};

}  // namespace lmw::admin
