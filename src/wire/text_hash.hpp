// XXH3 of 64 bits, over long texts with the widest vectors that the machine has: Debian's xxHash, as it is
// included in a build for any x86-64, has the narrowest ones only. Internal: include it from .cpp files only.
#pragma once

#include <cstdint>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/random.hpp"

namespace lmw::wire {

// The same value as XXH3_64bits.
std::uint64_t long_text_hash(std::string_view text);

inline std::uint64_t hash_of(std::string_view text) {
  constexpr std::size_t is_long = 512;
  return text.size() < is_long ? XXH3_64bits(text.data(), text.size()) : long_text_hash(text);
}

// Of two hashes, in this order.
inline std::uint64_t combined(std::uint64_t first, std::uint64_t second) {
  return mix64(first * 0x9e3779b97f4a7c15 + second);
}

}  // namespace lmw::wire
