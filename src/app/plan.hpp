// `lmwarden plan`: how many sessions fit a box, and what the next ones cost.
#pragma once

namespace CLI {
class App;
}

namespace lmw::app {

// Adds the command; `status` is then the exit status.
void add_plan(CLI::App& app, int& status);

}  // namespace lmw::app
