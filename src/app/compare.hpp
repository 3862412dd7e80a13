// `lmwarden bench compare`: what changed from one report to another.
#pragma once

namespace CLI {
class App;
}

namespace lmw::app {

// Adds it to `bench`.
void add_compare(CLI::App& bench, int& status);

}  // namespace lmw::app
