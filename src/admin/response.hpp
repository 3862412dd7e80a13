// One answer of the admin side.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "wire/http_message.hpp"

namespace lmw::admin {

struct Response {
  int status = 200;
  std::string body;
  std::string_view type = "application/json";
  wire::Headers headers;     // beside Content-Type, Cache-Control and those that every answer has
  bool may_be_kept = false;  // by a cache that asks each time whether it is current

  static Response of(const nlohmann::json& value);
  static Response of(const nlohmann::ordered_json& value);
  static Response ok();  // where there is no more to say
  static Response error(int status, std::string_view message);
};

}  // namespace lmw::admin
