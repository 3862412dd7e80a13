// The rank that a client asks for by itself, read as vLLM reads it.
#pragma once

#include <optional>
#include <string_view>

namespace lmw::routing {

// As Python's int() does: spaces around, a sign, leading zeros. Nothing when vLLM would ignore it (`abc`,
// `1.0`, empty).
std::optional<long> parse_rank(std::string_view text);

}  // namespace lmw::routing
