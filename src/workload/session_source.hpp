// Where the sessions of a run come from.
#pragma once

#include <memory>
#include <optional>

#include "workload/session.hpp"
#include "workload/session_shape.hpp"

namespace lmw::workload {

class SessionSource {
 public:
  virtual ~SessionSource() = default;
  // The next session of a client (0, 1, …; open arrivals are all one client's). Nothing when there are no
  // more.
  virtual std::optional<Session> next(int client) = 0;
};

// Without end. A client's sessions don't depend on how fast the others get on, so that all policies face the
// same work.
std::unique_ptr<SessionSource> synthetic_sessions(const SessionShape& shape, int block_size,
                                                  std::uint64_t seed);

// In their order, each once, whichever client asks first. They must outlive the source.
std::unique_ptr<SessionSource> recorded_sessions(const std::vector<Session>& sessions);

}  // namespace lmw::workload
