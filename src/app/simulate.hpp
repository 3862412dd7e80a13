// `lmwarden simulate`: a simulated engine in the foreground.
#pragma once

namespace CLI {
class App;
}

namespace lmw::app {

// Adds the command. It prints `Engine http://HOST:PORT` when it listens, and serves until SIGINT or SIGTERM;
// `status` is then the exit status.
void add_simulate(CLI::App& app, int& status);

}  // namespace lmw::app
