// What keeps a silent stream alive: an event that says nothing, in the form that the clients of its family
// take anywhere between two events.
//
// - messages: `event: ping`, the API's own. Claude Code and Anthropic's SDKs skip it, before the first event
//   too.
// - responses: the same. Codex gives up after 300 s without an event and does not count comments; types it
//   does not know are skipped, but count. OpenAI's SDKs hand it out as an item of a type of its own; only
//   their `responses.stream()` helper fails on one that comes before `response.created`.
// - chat and completions: a comment. OpenAI's SDKs (qwen-code, aider) hand out everything that has data as a
//   chunk, whatever its name, and this one would have no choices; AI SDK (opencode) ends the turn on it. All
//   skip comments, and none has a timer that only events reset.
#pragma once

#include <string_view>

#include "wire/api.hpp"

namespace lmw::wire {

constexpr std::string_view ping_event(Family family) {
  if (family == Family::openai) return ": ping\n\n";
  return "event: ping\ndata: {\"type\": \"ping\"}\n\n";
}

}  // namespace lmw::wire
