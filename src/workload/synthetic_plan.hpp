// The synthetic sessions as plain sizes and content, for the lab: a session of some seed is turn for turn
// what SyntheticSession of that seed sends as text.
#pragma once

#include <cstdint>

#include "workload/session.hpp"
#include "workload/session_shape.hpp"

namespace lmw::workload {

Session plan_session(const SessionShape& shape, int block_size, std::uint64_t seed);

}  // namespace lmw::workload
