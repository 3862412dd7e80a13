// What the tokens of a session say, so that an engine can be sent what the lab only counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workload/session.hpp"

namespace lmw::workload {

// A word is a space and 1 to 6 lower-case letters: one token of the replica model, and of most tokenizers;
// where it is more, so much fewer words are sent. Equal blocks have equal words under one salt, and entirely
// different ones under another, so that one arm of a benchmark can't find another's cache.
class Words {
 public:
  Words(int block_size, std::string_view salt, double tokens_per_word = 1);

  int block_size() const { return block_size_; }
  std::uint64_t salt() const { return salt_; }  // as a number
  // The tokens from `begin` to `end` of that content, at least a word. Those behind its last full block go on
  // from it.
  std::string text(const std::vector<BlockRun>& content, int begin, int end) const;

 private:
  int block_size_;
  std::uint64_t salt_;
  double tokens_per_word_;
};

}  // namespace lmw::workload
