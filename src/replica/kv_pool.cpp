#include "replica/kv_pool.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <ranges>

#include "base/random.hpp"

namespace lmw::replica {

KvPool::KvPool(int blocks)
    : blocks_(index(blocks) + 1), buckets_(std::bit_ceil(2 * index(std::max(blocks, 1))), kNoBlock) {
  blocks_.back().previous = blocks_.back().next = sentinel();
  for (BlockId block = 0; block < blocks; ++block) link_before_sentinel(block);
  releases_ = 0;
}

std::size_t KvPool::bucket_of(BlockKey key) const { return mix64(key) & (buckets_.size() - 1); }

BlockId KvPool::find(BlockKey key) const {
  BlockId block = buckets_[bucket_of(key)];
  while (block != kNoBlock && blocks_[index(block)].key != key) block = blocks_[index(block)].bucket_next;
  return block;
}

void KvPool::hold(BlockId block) {
  if (blocks_[index(block)].holders++ == 0) unlink(block);
}

BlockId KvPool::take() {
  assert(free_ > 0);
  const BlockId block = blocks_.back().next;
  if (blocks_[index(block)].published) unpublish(block);
  hold(block);
  return block;
}

// Appends to the chain, so that find() meets the oldest of equal blocks first, as vLLM does.
void KvPool::publish(BlockId block, BlockKey key) {
  Block& mine = blocks_[index(block)];
  assert(mine.holders > 0 && !mine.published);
  mine.key = key;
  mine.published = true;
  BlockId* link = &buckets_[bucket_of(key)];
  while (*link != kNoBlock) link = &blocks_[index(*link)].bucket_next;
  *link = block;
}

void KvPool::unpublish(BlockId block) {
  Block& mine = blocks_[index(block)];
  BlockId* link = &buckets_[bucket_of(mine.key)];
  while (*link != block) link = &blocks_[index(*link)].bucket_next;
  *link = mine.bucket_next;
  mine.bucket_next = kNoBlock;
  mine.published = false;
}

void KvPool::release(std::span<const BlockId> chain) {
  for (const BlockId block : std::views::reverse(chain)) {
    assert(blocks_[index(block)].holders > 0);
    if (--blocks_[index(block)].holders == 0) link_before_sentinel(block);
  }
}

void KvPool::link_before_sentinel(BlockId block) {
  Block& mine = blocks_[index(block)];
  Block& end = blocks_.back();
  mine.previous = end.previous;
  mine.next = sentinel();
  blocks_[index(end.previous)].next = block;
  end.previous = block;
  ++free_;
  ++releases_;
}

void KvPool::unlink(BlockId block) {
  const Block& mine = blocks_[index(block)];
  blocks_[index(mine.previous)].next = mine.next;
  blocks_[index(mine.next)].previous = mine.previous;
  --free_;
}

}  // namespace lmw::replica
