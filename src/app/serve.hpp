// `lmwarden serve`: runs the gateway until SIGINT or SIGTERM.
#pragma once

#include "config/config.hpp"

namespace lmw::app {

// The exit status.
int run_serve(config::Config config);

}  // namespace lmw::app
