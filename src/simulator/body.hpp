// Reading a request's JSON body, and what vLLM 0.32 (pydantic) says of one that it can't read.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "simulator/api_error.hpp"

namespace lmw::simulator {

using Body = nlohmann::json;  // sorts keys: its dump is the normal form

std::string normal_text(const Body& json);

// Null when there is no such member, or it is null.
const Body* member(const Body& object, const char* key);
std::string string_member(const Body& object, const char* key);  // "" when it is no string
std::optional<std::string> string_or_nothing(const Body& object, const char* key);
bool true_member(const Body& object, const char* key);

// The body as an object, or its error.
std::expected<Body, ApiError> read_body(std::string_view text);

// `where` is the path of the field: "messages", "input.0"; "" is the body. `type` and `message` are
// pydantic's.
ApiError field_error(std::string_view type, std::string_view where, std::string_view message,
                     const Body& input);
ApiError missing_field(std::string_view where, const Body& object);
ApiError wrong_list(std::string_view where, const Body& value);
ApiError wrong_string(std::string_view where, const Body& value);

// The error of a member that is there and has another type.
std::optional<ApiError> check_string(const Body& object, const char* key);
std::optional<ApiError> check_bool(const Body& object, const char* key);
std::optional<ApiError> check_integer(const Body& object, const char* key);
// The same for a list that must be there.
std::optional<ApiError> check_list(const Body& object, const char* key);

// The error of a list that has something else than token ids.
std::optional<ApiError> check_token_ids(std::string_view where, const Body& list);

}  // namespace lmw::simulator
