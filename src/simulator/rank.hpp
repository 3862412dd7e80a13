// X-data-parallel-rank as vLLM reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lmw::simulator {

// By the rules of Python's int(): white space around, a sign, leading zeros and single underscores are
// allowed. Nothing for all else, which vLLM ignores. Larger numbers than fit are cut to the largest that
// does.
std::optional<std::int64_t> parse_rank(std::string_view header);

}  // namespace lmw::simulator
