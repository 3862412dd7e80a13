// One line of a trace.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "workload/session.hpp"

namespace lmw::workload {

struct TraceHeader {
  std::string name, source, licence;
  int block_size = 0;
  bool ids_are_global = false;  // else they mean something within one session only
  bool is_clocked = false;
};

struct TraceRow {
  std::int64_t session = 0;
  int agent = 0;  // 0: the main one
  int turn = 0;
  Duration at{};
  int input_tokens = 0;
  int output_tokens = 0;
  int parent = -1;            // the turn whose hashes it begins with
  int keep = 0;               // so many of them
  std::vector<BlockRun> add;  // and then these
  Duration api{};             // how long the answer took
  std::optional<Duration> think;
  std::string model;  // "" = its session's main one
};

Result<TraceHeader> read_trace_header(std::string_view line);
Result<TraceRow> read_trace_row(std::string_view line);

}  // namespace lmw::workload
