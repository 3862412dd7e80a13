// The conversation in a body of /v1/responses, joined from its items as vLLM 0.32 does.
#pragma once

#include "simulator/body.hpp"
#include "simulator/conversation.hpp"

namespace lmw::simulator {

// The errors of items and tools that the engine doesn't take, encrypted reasoning among them.
std::expected<Conversation, ApiError> read_responses_input(const Body& body);

// What the answer repeats of its request, as a JSON object with all its members. Tools are repeated as they
// were sent; the engine adds members that are null.
std::string repeated_members(const Body& body);

}  // namespace lmw::simulator
