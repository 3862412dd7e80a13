// `lmwarden bench`: agents at work over HTTP on a real box, with each way of routing in turn.
#pragma once

namespace CLI {
class App;
}

namespace lmw::app {

void add_bench(CLI::App& app, int& status);

}  // namespace lmw::app
