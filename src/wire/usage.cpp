#include "wire/usage.hpp"

#include "wire/ondemand.hpp"

namespace lmw::wire {
namespace {

using simdjson::error_code;
using simdjson::SUCCESS;

using Count = std::optional<std::int64_t>;

// No request has so many tokens; sums of counts below can't overflow.
constexpr std::int64_t max_count = std::int64_t{1} << 48;

Count count_of(ondemand::value& value) {
  std::int64_t count = 0;
  if (value.get_int64().get(count) || count < 0 || count > max_count) return std::nullopt;
  return count;
}

// A share of an unknown whole, or one greater than the whole, is no measure.
Usage checked(Usage usage) {
  if (!usage.prompt || (usage.cached && *usage.cached > *usage.prompt)) usage.cached.reset();
  return usage;
}

// What OpenAI's two APIs call the same three counts.
struct UsageNames {
  std::string_view prompt;
  std::string_view details;  // holds cached_tokens
  std::string_view completion;
};
constexpr UsageNames chat_names{"prompt_tokens", "prompt_tokens_details", "completion_tokens"};
constexpr UsageNames responses_names{"input_tokens", "input_tokens_details", "output_tokens"};

error_code read_openai_usage(ondemand::value& value, const UsageNames& names, Usage& result) {
  Usage usage;
  auto error = each_member_of(value, [&](std::string_view key, ondemand::value& member) {
    if (key == names.prompt) usage.prompt = count_of(member);
    if (key == names.completion) usage.completion = count_of(member);
    if (key != names.details) return SUCCESS;
    usage.cached.reset();
    return each_member_of(member, [&](std::string_view detail, ondemand::value& count) {
      if (detail == "cached_tokens") usage.cached = count_of(count);
      return SUCCESS;
    });
  });
  result = checked(usage);
  return error;
}

// `input_tokens` are those neither read from the cache nor written to it: all three together are the prompt.
error_code read_anthropic_usage(ondemand::value& value, Usage& result) {
  Count input, output, read, created;
  auto error = each_member_of(value, [&](std::string_view key, ondemand::value& member) {
    if (key == "input_tokens") input = count_of(member);
    if (key == "output_tokens") output = count_of(member);
    if (key == "cache_read_input_tokens") read = count_of(member);
    if (key == "cache_creation_input_tokens") created = count_of(member);
    return SUCCESS;
  });
  if (input) input = *input + read.value_or(0) + created.value_or(0);
  result = checked({.prompt = input, .cached = read, .completion = output});
  return error;
}

// What one JSON object of an answer tells, streamed or not, of either family.
struct Answer {
  std::string type;  // of an Anthropic event
  Usage usage;
  bool has_usage = false;  // an object, whatever is in it
  bool is_error = false;
  bool empty_choices = false;  // a list without elements
  bool has_content = false;
};

error_code read_delta(ondemand::value& delta, Answer& answer) {
  return each_member_of(delta, [&](std::string_view key, ondemand::value& value) {
    if (key == "content" || key == "reasoning" || key == "reasoning_content") {
      if (is_non_empty_string(value)) answer.has_content = true;
    } else if (key == "tool_calls") {
      return each_element_of(value, [&](auto&) { return answer.has_content = true, SUCCESS; });
    }
    return SUCCESS;
  });
}

error_code read_choice(ondemand::value& choice, Answer& answer) {
  return each_member_of(choice, [&](std::string_view key, ondemand::value& value) {
    if (key == "delta") return read_delta(value, answer);
    if (key == "text" && is_non_empty_string(value)) answer.has_content = true;
    return SUCCESS;
  });
}

error_code read_openai_member(std::string_view key, ondemand::value& value, Answer& answer) {
  if (key == "choices") {
    answer.empty_choices = token_of(value).starts_with('[');
    return each_element_of(value, [&](ondemand::value& choice) {
      answer.empty_choices = false;
      return read_choice(choice, answer);
    });
  }
  if (key == "usage") {
    answer.has_usage = token_of(value).starts_with('{');
    return read_openai_usage(value, chat_names, answer.usage);
  }
  if (key == "error") answer.is_error = token_of(value) != "null";
  return SUCCESS;
}

error_code read_anthropic_member(std::string_view key, ondemand::value& value, Answer& answer) {
  if (key == "type") {
    std::string_view type;
    answer.type = value.get_string().get(type) ? std::string_view() : type;
  }
  if (key == "usage") return read_anthropic_usage(value, answer.usage);
  if (key == "message") {  // of message_start
    return each_member_of(value, [&](std::string_view name, ondemand::value& member) {
      return name == "usage" ? read_anthropic_usage(member, answer.usage) : SUCCESS;
    });
  }
  if (key == "content_block") {
    return each_member_of(value, [&](std::string_view name, ondemand::value& member) {
      if (name == "type") answer.has_content = token_of(member) == R"("tool_use")";
      return SUCCESS;
    });
  }
  return SUCCESS;
}

// Of a whole answer, or of the event that holds one as its `response`.
error_code read_responses_member(std::string_view key, ondemand::value& value, Answer& answer) {
  if (key == "usage") return read_openai_usage(value, responses_names, answer.usage);
  if (key != "response") return SUCCESS;
  return each_member_of(value, [&](std::string_view name, ondemand::value& member) {
    return name == "usage" ? read_openai_usage(member, responses_names, answer.usage) : SUCCESS;
  });
}

error_code read_member(Family family, std::string_view key, ondemand::value& value, Answer& answer) {
  switch (family) {
    case Family::openai:
      return read_openai_member(key, value, answer);
    case Family::anthropic:
      return read_anthropic_member(key, value, answer);
    case Family::responses:
      return read_responses_member(key, value, answer);
  }
  return SUCCESS;
}

// Nothing when it is no JSON object.
std::optional<Answer> read_answer(Family family, std::string_view json) {
  const simdjson::padded_string copy(json);
  ondemand::parser parser;
  ondemand::document document;
  ondemand::object object;
  if (parser.iterate(copy).get(document) || document.get_object().get(object)) return std::nullopt;
  Answer answer;
  auto error = each_member(object, [&](std::string_view key, ondemand::value& value) {
    return read_member(family, key, value, answer);
  });
  if (error) return std::nullopt;
  return answer;
}

// Inside a JSON string the quotes would be escaped, so that the text of an answer never looks like a key.
bool has_key(std::string_view json, std::string_view quoted) { return json.find(quoted) != json.npos; }

}  // namespace

Usage usage_of_body(Endpoint endpoint, std::string_view body) {
  const Route& route = route_of(endpoint);
  if (!route.generates) return {};
  const auto answer = read_answer(route.family, body);
  return answer ? answer->usage : Usage{};
}

bool StreamWatch::observe(const SseEvent& event) {
  if (event.name == "error") finish(StreamEnd::error);
  if (event.data.empty()) return true;
  switch (route_of(endpoint_).family) {
    case Family::openai:
      return observe_openai(event);
    case Family::anthropic:
      observe_anthropic(event);
      break;
    case Family::responses:
      observe_responses(event);
      break;
  }
  return true;
}

bool StreamWatch::observe_openai(const SseEvent& event) {
  if (event.data == "[DONE]") {
    finish(StreamEnd::complete);
    return true;
  }
  const bool matters =
      !has_content() || has_key(event.data, R"("usage")") || has_key(event.data, R"("error")");
  if (!matters) {
    ++content_events_;
    return true;
  }
  const auto answer = read_answer(Family::openai, event.data);
  if (!answer) return true;
  if (answer->is_error) finish(StreamEnd::error);
  if (answer->has_content) ++content_events_;
  take(answer->usage);
  return !(hide_usage_ && answer->empty_choices && answer->has_usage);
}

void StreamWatch::observe_anthropic(const SseEvent& event) {
  if (event.name == "ping" || event.name == "content_block_stop") return;
  if (event.name == "content_block_delta") ++content_events_;
  if (event.name.starts_with("content_block") && has_content()) return;
  auto answer = read_answer(Family::anthropic, event.data);
  if (!answer) return;
  if (!event.name.empty()) answer->type = event.name;
  if (answer->type == "content_block_delta" || answer->has_content) ++content_events_;
  if (answer->type == "message_stop") finish(StreamEnd::complete);
  if (answer->type == "error") finish(StreamEnd::error);
  // The opener's count of output tokens is a placeholder: an answer cut short later has not 0 of them.
  if (answer->type == "message_start") answer->usage.completion.reset();
  take(answer->usage);
}

void StreamWatch::observe_responses(const SseEvent& event) {
  // Text, reasoning and the arguments of tool calls all come as deltas.
  if (event.name.ends_with(".delta")) ++content_events_;
  if (event.name == "response.failed") finish(StreamEnd::error);
  if (event.name != "response.completed" && event.name != "response.incomplete") return;
  finish(StreamEnd::complete);
  if (const auto answer = read_answer(Family::responses, event.data)) take(answer->usage);
}

void StreamWatch::finish(StreamEnd end) {
  if (end_ == StreamEnd::open) end_ = end;
}

// A prompt and its cached part belong together: the opener of a messages stream has only their sum.
void StreamWatch::take(const Usage& seen) {
  if (seen.prompt) {
    usage_.prompt = seen.prompt;
    usage_.cached = seen.cached;
  }
  if (seen.completion) usage_.completion = seen.completion;
}

}  // namespace lmw::wire
