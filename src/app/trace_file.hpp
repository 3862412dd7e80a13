// A trace on disk.
#pragma once

#include <string>

#include "workload/trace.hpp"

namespace lmw::app {

// JSON lines, plain or compressed with gzip; at most 4 GiB of text.
Result<workload::Trace> load_trace(const std::string& path, const workload::TraceOptions& options);

}  // namespace lmw::app
