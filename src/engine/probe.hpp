// Finds out by two short chat requests what discovery can't see. Costs the engine two prefills of about 500
// tokens.
#pragma once

#include <string>

#include "engine/discovery.hpp"
#include "engine/findings.hpp"

namespace lmw::engine {

// Sends the same prompt to rank 0 twice, one token of answer each: the second time the engine should find it
// cached, and say so. `access.timeout` is for each of the two.
net::awaitable<ProbeResult> probe(Access access, std::string model);

}  // namespace lmw::engine
