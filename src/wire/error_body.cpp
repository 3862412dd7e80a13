#include "wire/error_body.hpp"

#include <array>
#include <cstddef>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "wire/splice.hpp"

namespace lmw::wire {
namespace {

// Types and codes that client libraries know: platform.openai.com/docs/guides/error-codes and
// docs.anthropic.com/en/api/errors. Where a family has none for a case, its nearest.
struct Row {
  ErrorKind kind;
  int openai_status;
  int anthropic_status;
  std::string_view openai_type;
  std::string_view openai_code;
  std::string_view anthropic_type;
};

// By the number of the kind.
constexpr auto rows = std::to_array<Row>({
    {ErrorKind::invalid_request, 400, 400, "invalid_request_error", "invalid_request",
     "invalid_request_error"},
    {ErrorKind::unauthorized, 401, 401, "invalid_request_error", "invalid_api_key", "authentication_error"},
    {ErrorKind::not_found, 404, 404, "not_found_error", "not_found", "not_found_error"},
    {ErrorKind::method_not_allowed, 405, 405, "invalid_request_error", "method_not_allowed",
     "invalid_request_error"},
    {ErrorKind::timeout, 408, 408, "timeout_error", "timeout", "timeout_error"},
    {ErrorKind::too_large, 413, 413, "invalid_request_error", "request_too_large", "request_too_large"},
    {ErrorKind::unsupported_coding, 415, 415, "invalid_request_error", "unsupported_content_encoding",
     "invalid_request_error"},
    {ErrorKind::header_too_large, 431, 431, "invalid_request_error", "header_too_large", "request_too_large"},
    {ErrorKind::internal, 500, 500, "server_error", "internal_error", "api_error"},
    {ErrorKind::upstream, 502, 502, "server_error", "upstream_error", "api_error"},
    {ErrorKind::unavailable, 503, 503, "server_error", "unavailable", "api_error"},
    {ErrorKind::overloaded, 503, 529, "server_error", "overloaded", "overloaded_error"},
});

constexpr bool in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<std::size_t>(rows[i].kind) != i) return false;
  }
  return true;
}
static_assert(in_order());

const Row& row_of(ErrorKind kind) { return rows[static_cast<std::size_t>(kind)]; }

}  // namespace

int status_of(ErrorKind kind, Family family) {
  const Row& row = row_of(kind);
  return family == Family::anthropic ? row.anthropic_status : row.openai_status;
}

std::string error_body(ErrorKind kind, Family family, std::string_view message) {
  const Row& row = row_of(kind);
  const std::string text = json_string(message);
  if (family == Family::anthropic) {
    return fmt::format(R"({{"type":"error","error":{{"type":"{}","message":{}}}}})", row.anthropic_type,
                       text);
  }
  return fmt::format(R"({{"error":{{"message":{},"type":"{}","param":null,"code":"{}"}}}})", text,
                     row.openai_type, row.openai_code);
}

std::string error_event(ErrorKind kind, Family family, std::string_view message) {
  if (family == Family::responses) {
    constexpr std::string_view failed =
        R"({{"type":"response.failed","response":{{"object":"response","status":"failed","error":{{"code":"{}","message":{}}}}}}})";
    return "event: response.failed\ndata: " +
           fmt::format(failed, row_of(kind).openai_type, json_string(message)) + "\n\n";
  }
  const std::string_view head = family == Family::anthropic ? "event: error\ndata: " : "data: ";
  return fmt::format("{}{}\n\n", head, error_body(kind, family, message));
}

ErrorKind kind_of_status(int status) {
  switch (status) {
    case 401:
    case 403:
      return ErrorKind::unauthorized;
    case 404:
      return ErrorKind::not_found;
    case 413:
      return ErrorKind::too_large;
    case 429:
    case 503:
    case 529:
      return ErrorKind::overloaded;
    default:
      return status >= 400 && status < 500 ? ErrorKind::invalid_request : ErrorKind::upstream;
  }
}

std::string message_of_error(std::string_view body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object()) return {};
  const auto text = [](const nlohmann::json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  // Both families have an `error`; FastAPI, under vLLM, answers with a `detail`, older engines with a
  // `message`.
  if (const auto error = json.find("error"); error != json.end()) {
    return error->is_object() ? text(*error, "message") : text(json, "error");
  }
  const auto detail = text(json, "detail");
  return detail.empty() ? text(json, "message") : detail;
}

}  // namespace lmw::wire
