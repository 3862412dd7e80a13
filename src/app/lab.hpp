// `lmwarden lab`: a workload under several policies, in virtual time.
#pragma once

namespace CLI {
class App;
}

namespace lmw::app {

// Adds the command; `status` is then the exit status.
void add_lab(CLI::App& app, int& status);

}  // namespace lmw::app
