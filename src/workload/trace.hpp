// Recorded sessions: lengths, times and block hashes, no text. JSON lines, format 1: a header, then one
// request a line (docs/lab.md has the fields).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "workload/session.hpp"

namespace lmw::workload {

struct TraceOptions {
  bool strict = false;            // a line that can't be read is an error; else it is skipped
  bool main_agents_only = false;  // without the sub-agents
};

struct Trace {
  std::string name;
  std::string source;
  std::string licence;
  int block_size = 0;       // tokens
  bool is_clocked = false;  // its sessions have starts; else each begins at 0
  std::vector<Session> sessions;
  // Of what was skipped, one text with the line's number each; at most max_skipped_texts, the last one counts
  // the others.
  std::vector<std::string> skipped;
};

inline constexpr std::size_t max_skipped_texts = 20;

// A trace without block hashes is an error: there is nothing to find in a cache.
Result<Trace> read_trace(std::string_view text, const TraceOptions& options);

}  // namespace lmw::workload
