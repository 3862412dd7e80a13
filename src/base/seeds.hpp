// For tests of random runs: which seeds. LMW_SEEDS=N runs so many, LMW_SEED=S that one alone.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace lmw {

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
};

inline Seeds seeds_or(std::uint64_t usual) {
  const auto number = [](const char* text) { return std::strtoull(text, nullptr, 10); };
  if (const char* one = std::getenv("LMW_SEED")) return {number(one), number(one)};
  const char* count = std::getenv("LMW_SEEDS");
  return {1, count ? number(count) : usual};
}

}  // namespace lmw
