// X-data-parallel-rank as vLLM reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "wire/api.hpp"

namespace lmw::simulator {

// By the rules of Python's int(): white space around, a sign, leading zeros and single underscores are
// allowed. Nothing for all else, which vLLM ignores. Larger numbers than fit are cut to the largest that
// does.
std::optional<std::int64_t> parse_rank(std::string_view header);

// Whether a vLLM of this version (0.32.0) heeds the header on this endpoint: /v1/responses does from 0.33.
bool heeds_rank(std::string_view engine_version, wire::Endpoint endpoint);

}  // namespace lmw::simulator
