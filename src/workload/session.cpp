#include "workload/session.hpp"

#include <algorithm>

#include <fmt/format.h>

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

int count_common_blocks(const std::vector<BlockRun>& a, const std::vector<BlockRun>& b) {
  const auto first = block_numbers(a), second = block_numbers(b);
  return static_cast<int>(std::ranges::mismatch(first, second).in1 - first.begin());
}

Result<int> fit_lengths(std::vector<Session>& sessions, int block_size, int max_tokens) {
  int longest = 0;
  for (const auto& session : sessions) {
    for (const auto& agent : session.agents) {
      for (const auto& turn : agent.turns)
        longest = std::max(longest, turn.prompt_tokens + turn.output_tokens);
    }
  }
  if (longest <= max_tokens) return block_size;
  const auto fitted = static_cast<int>(std::int64_t{block_size} * max_tokens / longest);
  if (fitted == 0)
    return failure(fmt::format("contexts of {} tokens can't be cut down to {}", longest, max_tokens));
  const auto shorter = [&](int tokens) {
    return std::max(1, static_cast<int>(std::int64_t{tokens} * fitted / block_size));
  };
  for (auto& session : sessions) {
    for (auto& agent : session.agents) {
      for (auto& turn : agent.turns) {
        turn.prompt_tokens = shorter(turn.prompt_tokens);
        turn.output_tokens = shorter(turn.output_tokens);
      }
    }
  }
  return fitted;
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
