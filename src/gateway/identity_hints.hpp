// Where clients put the ids of their conversations.
#pragma once

#include "routing/identity.hpp"
#include "wire/http_message.hpp"
#include "wire/peek.hpp"

namespace lmw::gateway {

// Views into `headers` and `peek`, which must outlive the result. No peek: the body could not be read.
routing::IdentityHints identity_hints(const wire::Headers& headers, const wire::Peek* peek);

}  // namespace lmw::gateway
