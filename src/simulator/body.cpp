#include "simulator/body.hpp"

#include <fmt/format.h>

namespace lmw::simulator {

namespace {

// How pydantic's errors show an input.
std::string shown(const Body& value) {
  if (value.is_null()) return "None";
  if (value.is_object()) return fmt::format("<dict of {} items>", value.size());
  if (value.is_array()) return fmt::format("<list of {} items>", value.size());
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  return value.is_string() ? value.get<std::string>() : normal_text(value);
}

}  // namespace

std::string normal_text(const Body& json) {
  return json.dump(-1, ' ', false, Body::error_handler_t::replace);
}

const Body* member(const Body& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string string_member(const Body& object, const char* key) {
  const auto* value = member(object, key);
  return value && value->is_string() ? value->get<std::string>() : std::string();
}

std::optional<std::string> string_or_nothing(const Body& object, const char* key) {
  const auto* value = member(object, key);
  return value && value->is_string() ? std::optional(value->get<std::string>()) : std::nullopt;
}

bool true_member(const Body& object, const char* key) {
  const auto* value = member(object, key);
  return value && value->is_boolean() && value->get<bool>();
}

std::expected<Body, ApiError> read_body(std::string_view text) {
  auto json = Body::parse(text, nullptr, false);
  if (json.is_discarded()) {
    return std::unexpected(
        validation_error("{'type': 'json_invalid', 'loc': 'body.0', 'msg': 'JSON decode error', "
                         "'input': '<dict of 0 items>', 'ctx': {'error': 'Expecting value'}}",
                         "body.0"));
  }
  if (!json.is_object()) {
    return std::unexpected(field_error("model_attributes_type", "",
                                       "Input should be a valid dictionary or object to extract fields from",
                                       json));
  }
  return json;
}

ApiError field_error(std::string_view type, std::string_view where, std::string_view message,
                     const Body& input) {
  const auto path = fmt::format("body{}{}", where.empty() ? "" : ".", where);
  return validation_error(fmt::format("{{'type': '{}', 'loc': '{}', 'msg': '{}', 'input': '{}'}}", type, path,
                                      message, shown(input)),
                          path);
}

ApiError missing_field(std::string_view where, const Body& object) {
  return field_error("missing", where, "Field required", object);
}

ApiError wrong_list(std::string_view where, const Body& value) {
  return field_error("list_type", where, "Input should be a valid list", value);
}

ApiError wrong_string(std::string_view where, const Body& value) {
  return field_error("string_type", where, "Input should be a valid string", value);
}

std::optional<ApiError> check_string(const Body& object, const char* key) {
  const auto* value = member(object, key);
  if (!value || value->is_string()) return std::nullopt;
  return wrong_string(key, *value);
}

std::optional<ApiError> check_bool(const Body& object, const char* key) {
  const auto* value = member(object, key);
  if (!value || value->is_boolean()) return std::nullopt;
  return field_error("bool_parsing", key, "Input should be a valid boolean, unable to interpret input",
                     *value);
}

std::optional<ApiError> check_integer(const Body& object, const char* key) {
  const auto* value = member(object, key);
  if (!value || value->is_number_integer()) return std::nullopt;
  return field_error("int_parsing", key,
                     "Input should be a valid integer, unable to parse string as an integer", *value);
}

std::optional<ApiError> check_list(const Body& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return missing_field(key, object);
  if (!found->is_array()) return wrong_list(key, *found);
  return std::nullopt;
}

std::optional<ApiError> check_token_ids(std::string_view where, const Body& list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto& id = list[i];
    const auto at = fmt::format("{}.{}", where, i);
    if (!id.is_number_integer()) return field_error("int_type", at, "Input should be a valid integer", id);
    if (id < 0)
      return field_error("greater_than_equal", at, "Input should be greater than or equal to 0", id);
  }
  return std::nullopt;
}

}  // namespace lmw::simulator
