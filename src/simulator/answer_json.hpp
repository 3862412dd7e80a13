// What the answers of several endpoints have in common.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "simulator/reply.hpp"

namespace lmw::simulator {

// finish_reason of chat and completions.
inline std::string_view finish_name(Finish finish) {
  switch (finish) {
    case Finish::length:
      return "length";
    case Finish::tool_calls:
      return "tool_calls";
    case Finish::stop:
      break;
  }
  return "stop";
}

// `usage` of chat and completions, without details.
inline nlohmann::ordered_json plain_usage(int prompt, int completion) {
  return {
      {"prompt_tokens", prompt}, {"total_tokens", prompt + completion}, {"completion_tokens", completion}};
}

// An event of messages and responses.
inline std::string named_event(std::string_view name, std::string_view data) {
  return fmt::format("event: {}\ndata: {}\n\n", name, data);
}

}  // namespace lmw::simulator
