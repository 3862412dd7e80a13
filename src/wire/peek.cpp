#include "wire/peek.hpp"

#include <utility>

#include <fmt/format.h>

#include "wire/fingerprint.hpp"
#include "wire/ondemand.hpp"
#include "wire/user_id.hpp"

namespace lmw::wire {
namespace {

using simdjson::error_code;
using simdjson::SUCCESS;

static_assert(padding >= simdjson::SIMDJSON_PADDING);

bool is_billing(std::string_view text) { return text.starts_with("x-anthropic-billing-header:"); }

bool is_true(ondemand::value& value) {
  bool flag = false;
  return !value.get_bool().get(flag) && flag;
}

error_code read_session(ondemand::value& user_id, std::optional<std::string>& session) {
  session.reset();
  if (auto text = text_of(user_id)) {
    session = session_of_user_id(*text);
    return SUCCESS;
  }
  return each_member_of(user_id, [&](std::string_view key, ondemand::value& value) {
    if (key == "session_id") session = text_of(value);
    return SUCCESS;
  });
}

// Visits the members of the body. Each read_... overwrites what an earlier member of that name has left.
class Peeker {
 public:
  Peeker(std::string_view body, ondemand::document& document) : body_(body), document_(document) {}

  error_code run();
  Peek result() &&;

 private:
  using Reader = error_code (Peeker::*)(ondemand::value&);
  struct Member {
    std::string_view name;
    Reader read;
  };
  static const Member members[];

  error_code read_model(ondemand::value& value);
  error_code read_stream(ondemand::value& value) { return peek_.stream = is_true(value), SUCCESS; }
  error_code read_stream_options(ondemand::value& value);
  error_code read_user(ondemand::value& value) { return peek_.user = text_of(value), SUCCESS; }
  error_code read_cache_key(ondemand::value& value) {
    return peek_.prompt_cache_key = text_of(value), SUCCESS;
  }
  error_code read_metadata(ondemand::value& value);
  error_code read_messages(ondemand::value& value);
  error_code read_input(ondemand::value& value);
  error_code read_prompt(ondemand::value& value);
  error_code read_tools(ondemand::value& value);
  error_code read_system(ondemand::value& value);
  error_code read_system_block(ondemand::value& block, bool may_be_billing, bool& billing);
  error_code read_instructions(ondemand::value& value);

  std::size_t offset(const char* at) const { return static_cast<std::size_t>(at - body_.data()); }
  ByteRange range(std::string_view part) const {
    return {offset(part.data()), offset(part.data() + part.size())};
  }
  // Reads the value to its end, whatever it is.
  error_code read_range(ondemand::value& value, std::optional<ByteRange>& range) const;
  // The end of the value that has just been read to its end.
  std::size_t end_of_last() const;

  std::string_view body_;
  ondemand::document& document_;
  Peek peek_;
  FingerprintReader print_;
  std::optional<std::size_t> messages_;  // of a list
  std::size_t input_ = 0;
};

constexpr Peeker::Member Peeker::members[] = {
    {"model", &Peeker::read_model},
    {"stream", &Peeker::read_stream},
    {"stream_options", &Peeker::read_stream_options},
    {"user", &Peeker::read_user},
    {"prompt_cache_key", &Peeker::read_cache_key},
    {"metadata", &Peeker::read_metadata},
    {"messages", &Peeker::read_messages},
    {"input", &Peeker::read_input},
    {"prompt", &Peeker::read_prompt},
    {"tools", &Peeker::read_tools},
    {"system", &Peeker::read_system},
    {"instructions", &Peeker::read_instructions},
};

error_code Peeker::run() {
  const char* begin = nullptr;
  if (auto error = document_.current_location().get(begin)) return error;
  peek_.object_begin = offset(begin);

  ondemand::object object;
  if (auto error = document_.get_object().get(object)) return error;
  peek_.empty_object = true;
  auto error = each_member(object, [&](std::string_view key, ondemand::value& value) {
    peek_.empty_object = false;
    for (const Member& member : members) {
      if (member.name == key) return (this->*member.read)(value);
    }
    return SUCCESS;
  });
  if (error) return error;

  const char* trailing = nullptr;
  return document_.current_location().get(trailing) ? SUCCESS : simdjson::TAPE_ERROR;
}

Peek Peeker::result() && {
  peek_.messages = messages_.value_or(input_);
  peek_.fingerprint = std::move(print_).result();
  return std::move(peek_);
}

error_code Peeker::read_model(ondemand::value& value) {
  peek_.model_value = range(token_of(value));
  peek_.model = text_of(value);
  return SUCCESS;
}

error_code Peeker::read_stream_options(ondemand::value& value) {
  const std::string_view token = token_of(value);
  const bool is_object = token.starts_with('{');
  peek_.stream_options = is_object ? Peek::StreamOptions::object : Peek::StreamOptions::other;
  peek_.stream_options_value = range(token);
  peek_.stream_options_empty = is_object;
  peek_.include_usage = false;
  peek_.include_usage_value.reset();
  if (!is_object) return SUCCESS;

  auto error = each_member_of(value, [&](std::string_view key, ondemand::value& option) {
    peek_.stream_options_empty = false;
    if (key != "include_usage") return SUCCESS;
    peek_.include_usage = is_true(option);
    return read_range(option, peek_.include_usage_value);
  });
  peek_.stream_options_value.end = end_of_last();
  return error;
}

error_code Peeker::read_metadata(ondemand::value& value) {
  peek_.metadata_session.reset();
  return each_member_of(value, [&](std::string_view key, ondemand::value& member) {
    return key == "user_id" ? read_session(member, peek_.metadata_session) : SUCCESS;
  });
}

error_code Peeker::read_messages(ondemand::value& value) {
  const bool listed = token_of(value).starts_with('[');
  const error_code error = print_.read_messages(value);
  messages_ = listed ? std::optional(print_.elements()) : std::nullopt;
  return error;
}

error_code Peeker::read_input(ondemand::value& value) {
  const error_code error = print_.read_messages(value);
  input_ = print_.elements();
  return error;
}

error_code Peeker::read_prompt(ondemand::value& value) { return print_.read_prompt(value); }

error_code Peeker::read_tools(ondemand::value& value) {
  const error_code error = print_.read_tools(value);
  peek_.tools = print_.elements();
  return error;
}

error_code Peeker::read_instructions(ondemand::value& value) {
  print_.start_system();
  if (const auto text = inside_of_string(token_of(value))) print_.add_system(*text);
  return SUCCESS;
}

error_code Peeker::read_system(ondemand::value& value) {
  print_.start_system();
  peek_.billing.reset();
  if (auto text = inside_of_string(token_of(value))) {
    if (is_billing(*text)) {
      const auto line = first_line_of(*text);
      peek_.billing = range(line);
      text->remove_prefix(line.size());
    }
    if (!text->empty()) print_.add_system(*text);
    return SUCCESS;
  }
  std::size_t index = 0;
  bool first_is_billing = false;
  const error_code error = each_element_of(value, [&](ondemand::value& block) {
    // Where it starts; its length is not to be trusted in a list that is cut short.
    const std::size_t begin = offset(block.raw_json_token().data());
    if (begin >= body_.size()) return simdjson::TAPE_ERROR;
    if (index == 0) peek_.billing = {begin, begin};
    if (index == 1) peek_.billing->end = begin;
    return read_system_block(block, index++ == 0, first_is_billing);
  });
  if (index == 1) peek_.billing->end = end_of_last() - 1;
  if (index > 0 && !first_is_billing) peek_.billing.reset();
  return error;
}

error_code Peeker::read_system_block(ondemand::value& block, bool may_be_billing, bool& billing) {
  std::optional<std::string_view> text;
  const auto error = each_member_of(block, [&](std::string_view key, ondemand::value& member) {
    if (key == "text") text = inside_of_string(token_of(member));
    return SUCCESS;
  });
  if (error || !text) return error;
  if (may_be_billing && is_billing(*text)) {
    billing = true;
  } else {
    print_.add_system(*text);
  }
  return SUCCESS;
}

error_code Peeker::read_range(ondemand::value& value, std::optional<ByteRange>& range_of_value) const {
  const std::string_view token = token_of(value);
  range_of_value = range(token);
  if (!token.starts_with('{') && !token.starts_with('[')) return SUCCESS;
  auto error = each_member_of(value, [](auto, auto&) { return SUCCESS; });
  if (!error) error = each_element_of(value, [](auto&) { return SUCCESS; });
  range_of_value->end = end_of_last();
  return error;
}

std::size_t Peeker::end_of_last() const {
  const char* next = nullptr;
  if (document_.current_location().get(next)) return body_.size();
  return body_.find_last_not_of(" \t\r\n", offset(next) - 1) + 1;
}

Error json_error(error_code code) {
  if (code == simdjson::INCORRECT_TYPE) return {"the body is no JSON object"};
  return {fmt::format("the body is not JSON: {}", simdjson::error_message(code))};
}

}  // namespace

Result<Peek> peek(std::string_view body) {
  // A parser of its own for each body: one kept would keep the memory of the largest body ever seen.
  ondemand::parser parser;
  ondemand::document document;
  const simdjson::padded_string_view padded(body.data(), body.size(), body.size() + padding);
  if (auto error = parser.iterate(padded).get(document)) return std::unexpected(json_error(error));
  Peeker peeker(body, document);
  if (auto error = peeker.run()) return std::unexpected(json_error(error));
  return std::move(peeker).result();
}

}  // namespace lmw::wire
