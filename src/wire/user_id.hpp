// The session id that clients put into Anthropic's `metadata.user_id`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lmw::wire {

// The session part of a `metadata.user_id` text: a JSON object with `session_id`, or the underscore form
// `user_<hash>_account_<uuid>_session_<uuid>`. Nothing for anything else, a truncated JSON text included.
std::optional<std::string> session_of_user_id(std::string_view user_id);

}  // namespace lmw::wire
