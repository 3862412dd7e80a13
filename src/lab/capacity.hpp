// How many agents fit a box, and sessions like theirs to try it with.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/session_shape.hpp"

namespace lmw::lab {

// Agents of one size.
struct Agents {
  int context = 58'000;  // tokens that a session's context grows to
  int shared = 14'000;   // of these, the same in all sessions
  double think = 3;      // median seconds between two turns
};

// Whose whole contexts a cache of so many tokens keeps: what they share is there once.
int sessions_that_fit(const Agents& agents, std::int64_t kv_tokens);

// Sessions that start at half of their own context and grow to all of it in 16 turns.
workload::SessionShape shape_of(const Agents& agents);

// Numbers of sessions to try around one, from half of it to double, without repeats.
std::vector<int> around(int sessions);

}  // namespace lmw::lab
