#include "admin/response.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "wire/splice.hpp"

namespace lmw::admin {

namespace {

// Names come from engines and clients: what is no UTF-8 in them must not stop an answer.
template <class Json>
Response whole(const Json& value) {
  return {.body = value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"};
}

}  // namespace

Response Response::of(const nlohmann::json& value) { return whole(value); }
Response Response::of(const nlohmann::ordered_json& value) { return whole(value); }

Response Response::ok() { return of(nlohmann::json{{"status", "ok"}}); }

Response Response::error(int status, std::string_view message) {
  return {.status = status,
          .body = fmt::format("{{\"error\":{{\"message\":{}}}}}\n", wire::json_string(message))};
}

}  // namespace lmw::admin
