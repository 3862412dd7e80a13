// `lmwarden bench`: measures over HTTP.
#pragma once

namespace CLI {
class App;
}

namespace lmw::app {

// Adds the command; `status` is then the exit status.
void add_bench(CLI::App& app, int& status);

}  // namespace lmw::app
