// Errors of our own in the shape that the caller's client library understands.
#pragma once

#include <string>
#include <string_view>

#include "wire/api.hpp"

namespace lmw::wire {

enum class ErrorKind {
  invalid_request,     // 400
  unauthorized,        // 401
  not_found,           // 404
  method_not_allowed,  // 405
  timeout,             // 408
  too_large,           // 413
  unsupported_coding,  // 415: a Content-Encoding we can't undo; carries Accept-Encoding
  header_too_large,    // 431
  internal,            // 500: a fault of ours
  upstream,            // 502: the engine failed or gave no answer
  unavailable,         // 503: no engine is up; carries Retry-After
  overloaded,          // 503 (OpenAI) or 529 (Anthropic): we are full; carries Retry-After
};

int status_of(ErrorKind kind, Family family);

// OpenAI: {"error":{"message","type","param":null,"code"}}; Anthropic:
// {"type":"error","error":{"type","message"}}.
std::string error_body(ErrorKind kind, Family family, std::string_view message);

// The same as an event that ends a stream which has already begun. Never `[DONE]`: the stream did not
// complete. OpenAI: `data: {...}`; Anthropic: `event: error`; Responses: `event: response.failed`.
std::string error_event(ErrorKind kind, Family family, std::string_view message);

// To tell again what an engine's error answer says, in another shape: its kind by its status, and its message
// ("" when it has none that we can find).
ErrorKind kind_of_status(int status);
std::string message_of_error(std::string_view body);

}  // namespace lmw::wire
