// The KV cache of one replica as vLLM manages it: equal blocks that are found again by the key of their
// content.
//
// A block is held by the live requests that need it, or it is free. A free block keeps its content and can be
// found and held again until it is taken for something new. That is the eviction, and it takes the longest
// free block first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lmw::replica {

using BlockId = std::int32_t;
using BlockKey = std::uint64_t;
inline constexpr BlockId kNoBlock = -1;

class KvPool {
 public:
  explicit KvPool(int blocks);

  int size() const { return sentinel(); }
  int free_blocks() const { return free_; }
  // How often a block became free since the start: while it stands still, what did not fit still does not.
  std::uint64_t releases() const { return releases_; }

  // The block that holds the content of `key`, the oldest where there are several, or kNoBlock.
  BlockId find(BlockKey key) const;
  bool is_free(BlockId block) const { return blocks_[index(block)].holders == 0; }

  // One more request needs the block.
  void hold(BlockId block);
  // A block for new content, held once. There must be a free one.
  BlockId take();
  // Lets find() know a taken block, whose content is `key` from now on. Once per take().
  void publish(BlockId block, BlockKey key);
  // A request no longer needs its blocks. They are freed from the last to the first, so that of a prefix the
  // head, which others are likelier to share, lives longest.
  void release(std::span<const BlockId> chain);

 private:
  struct Block {
    BlockKey key = 0;
    BlockId previous = kNoBlock;     // in the ring of free blocks
    BlockId next = kNoBlock;         // in the ring of free blocks
    BlockId bucket_next = kNoBlock;  // in the chain of its hash bucket
    int holders = 0;
    bool published = false;
  };

  static std::size_t index(BlockId block) { return static_cast<std::size_t>(block); }
  int sentinel() const { return static_cast<int>(blocks_.size()) - 1; }
  std::size_t bucket_of(BlockKey key) const;
  void link_before_sentinel(BlockId block);
  void unlink(BlockId block);
  void unpublish(BlockId block);

  std::vector<Block> blocks_;  // and one more, the sentinel of the ring: its next is the longest free block
  std::vector<BlockId> buckets_;  // heads of chains, a power of two
  int free_ = 0;
  std::uint64_t releases_ = 0;
};

}  // namespace lmw::replica
