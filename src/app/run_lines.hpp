// How a measuring command was run, for its report.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace lmw::app {

// Lines of a report's provenance.
using About = std::vector<std::pair<std::string, std::string>>;

// The date, and the flags as given, without secrets.
About run_lines(const CLI::App& command);

}  // namespace lmw::app
