// A cache of blocks that evicts the longest unused, with no notion of time or of who holds what.
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>

namespace lmw::replica {

class BlockLru {
 public:
  // Room for so many blocks; infinity: it never evicts.
  explicit BlockLru(double capacity) : capacity_(capacity) {}

  // How many leading blocks are in it.
  std::size_t leading_hits(std::span<const std::uint64_t> blocks) const;
  // Uses all, from the last to the first, so that tails go first; then evicts down to the capacity.
  void use(std::span<const std::uint64_t> blocks);

 private:
  double capacity_;
  std::list<std::uint64_t> order_;  // the longest unused at the back
  std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> places_;
};

}  // namespace lmw::replica
