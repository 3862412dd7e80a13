#include "workload/session.hpp"

#include <algorithm>

namespace lmw::workload {

void append(std::vector<BlockRun>& runs, BlockRun run) {
  if (run.count <= 0) return;
  if (!runs.empty() && runs.back().first + static_cast<std::uint64_t>(runs.back().count) == run.first) {
    runs.back().count += run.count;
  } else {
    runs.push_back(run);
  }
}

void append_part(std::vector<BlockRun>& runs, const std::vector<BlockRun>& from, int begin, int end) {
  int at = 0;
  for (const auto& run : from) {
    const int low = std::max(begin, at);
    const int high = std::min(end, at + run.count);
    if (low < high) append(runs, {run.first + static_cast<std::uint64_t>(low - at), high - low});
    at += run.count;
    if (at >= end) return;
  }
}

int count_blocks(const std::vector<BlockRun>& runs) {
  int count = 0;
  for (const auto& run : runs) count += run.count;
  return count;
}

std::vector<std::uint64_t> block_numbers(const std::vector<BlockRun>& runs) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(static_cast<std::size_t>(count_blocks(runs)));
  for (const auto& run : runs) {
    for (int i = 0; i < run.count; ++i) numbers.push_back(run.first + static_cast<std::uint64_t>(i));
  }
  return numbers;
}

}  // namespace lmw::workload
