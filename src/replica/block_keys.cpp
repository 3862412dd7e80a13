#include "base/random.hpp"
#include "replica/engine.hpp"

namespace lmw::replica {
namespace {

constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15ULL;

}  // namespace

std::vector<std::uint64_t> block_keys(std::span<const std::uint32_t> tokens, int block_size) {
  const auto size = static_cast<std::size_t>(block_size);
  std::vector<std::uint64_t> keys;
  keys.reserve(tokens.size() / size);
  std::uint64_t chain = 0;
  for (std::size_t begin = 0; begin + size <= tokens.size(); begin += size) {
    for (const std::uint32_t token : tokens.subspan(begin, size)) chain = (chain + token) * kMultiplier;
    chain = mix64(chain + kMultiplier);
    keys.push_back(chain);
  }
  return keys;
}

}  // namespace lmw::replica
