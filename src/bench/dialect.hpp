// A turn as its client asks for it: which API, and how it says which conversation it is of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/url.hpp"
#include "wire/api.hpp"
#include "wire/http_message.hpp"
#include "wire/sse.hpp"
#include "workload/transcript.hpp"

namespace lmw::bench {

enum class Ids {
  none,         // a plain SDK: the prompt must tell
  session,      // X-Session-Id, of sub-agents with X-Parent-Session-Id
  claude_code,  // its headers, and a tool as all its conversations have; engines need a tool parser for that
};

struct Dialect {
  wire::Endpoint endpoint = wire::Endpoint::messages;  // chat_completions, responses or messages
  Ids ids = Ids::session;
  std::string model;
  std::string api_key;     // "" = none
  bool ignore_eos = true;  // vLLM's: generate as many tokens as were asked for
};

// Whom a turn is of; a sub-agent's parent is the conversation that started it.
struct Sender {
  std::uint64_t conversation = 0;
  std::optional<std::uint64_t> parent;
};

wire::RequestHead request_head(const Dialect& dialect, const Origin& target, const Sender& sender,
                               std::size_t body_bytes);
// Streamed, with usage.
std::string request_body(const Dialect& dialect, const workload::Transcript& transcript, int max_tokens);

// The text of the answer, from an event of its stream.
void append_text(wire::Endpoint endpoint, const wire::SseEvent& event, std::string& text);

}  // namespace lmw::bench
