#include "replica/block_lru.hpp"

#include <ranges>

namespace lmw::replica {

std::size_t BlockLru::leading_hits(std::span<const std::uint64_t> blocks) const {
  std::size_t hits = 0;
  while (hits < blocks.size() && places_.contains(blocks[hits])) ++hits;
  return hits;
}

void BlockLru::use(std::span<const std::uint64_t> blocks) {
  for (const auto block : blocks | std::views::reverse) {
    const auto [place, is_new] = places_.try_emplace(block);
    if (is_new) {
      order_.push_front(block);
    } else {
      order_.splice(order_.begin(), order_, place->second);
    }
    place->second = order_.begin();
  }
  while (static_cast<double>(order_.size()) > capacity_) {
    places_.erase(order_.back());
    order_.pop_back();
  }
}

}  // namespace lmw::replica
