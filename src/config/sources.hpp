// The edge of config: the only place that reads a file or the environment.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "config/load.hpp"

namespace lmw::config {

inline constexpr std::size_t max_file_bytes = 1 << 20;

// The sources of this process. `path` "" is no file; a file that can't be read, or is larger than
// max_file_bytes, is an error.
Result<Sources> gather_sources(const std::string& path,
                               std::vector<std::pair<std::string, std::string>> flags);

}  // namespace lmw::config
