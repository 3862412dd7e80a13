// A session in tokens, as its client will send it: the turns of its main agent and of sub-agents, without
// knowing who answers. Plain data, made by synthetic_plan or read by trace.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"

namespace lmw::workload {

// The blocks first, first + 1, …: what their tokens are. Equal numbers are equal content after equal content.
struct BlockRun {
  std::uint64_t first = 0;
  int count = 0;
};

struct Turn {
  int prompt_tokens = 1;  // of the whole prompt
  int output_tokens = 1;
  Duration gap{};                 // in a closed loop: after the end of what it waits for
  Duration recorded_at{};         // after the session's start, in what it is a recording of
  std::vector<BlockRun> content;  // all full blocks of the prompt and the output behind it
};

struct Agent {
  std::vector<Turn> turns;
  int system_tokens = 0;  // its prompts begin with a system prompt of so many; 0: not known
  // Of a sub-agent: it starts `delay` after the end of the main agent's turn `after`, and the main agent's
  // turn `joined_by` waits for its end (0: none does).
  int after = 0;
  Duration delay{};
  int joined_by = 0;
};

struct Session {
  std::uint64_t id = 0;
  Duration start{};           // of a recording
  std::vector<Agent> agents;  // the first is the main one; none is without turns
};

// Appends a run, as part of the last one where it goes on from it.
void append(std::vector<BlockRun>& runs, BlockRun run);
// The part of the runs from block `begin` to block `end`, as far as there is one.
void append_part(std::vector<BlockRun>& runs, const std::vector<BlockRun>& from, int begin, int end);
int count_blocks(const std::vector<BlockRun>& runs);
// How many leading blocks are equal.
int count_common_blocks(const std::vector<BlockRun>& a, const std::vector<BlockRun>& b);
// Makes all prompts and outputs shorter by one factor, until the longest fits into `max_tokens`: so many
// tokens stand for a block of `block_size` then (at most block_size). An error where not even one token does.
Result<int> fit_lengths(std::vector<Session>& sessions, int block_size, int max_tokens);
// The blocks one by one: keys for the replica model.
std::vector<std::uint64_t> block_numbers(const std::vector<BlockRun>& runs);

}  // namespace lmw::workload
