// `lmwarden calibrate`: a profile of an engine for the lab, from a short measured run.
#pragma once

namespace CLI {
class App;
}

namespace lmw::app {

void add_calibrate(CLI::App& app, int& status);

}  // namespace lmw::app
