// Where a request goes, and where it may go next when it can't be taken there.
#pragma once

#include <optional>
#include <vector>

#include "gateway/pool.hpp"

namespace lmw::gateway {

class Destination {
 public:
  // A turn, with its place in the counts.
  Destination(Pool& pool, routing::Ticket ticket);
  // A lookup: any engine of the pool will do.
  Destination(Pool& pool, routing::EndpointId endpoint) : pool_(pool), endpoint_(endpoint) {}

  Backend& backend() const { return pool_.backend(endpoint_); }
  std::optional<int> rank() const { return ticket_ ? ticket_->decision().rank : std::nullopt; }
  // To another replica, each at most once. False when there is none left.
  bool move(Instant now);

  routing::Ticket* ticket() { return ticket_ ? &*ticket_ : nullptr; }

 private:
  Pool& pool_;
  routing::EndpointId endpoint_;
  std::optional<routing::Ticket> ticket_;
  std::vector<routing::EndpointId> tried_;  // of a lookup
};

}  // namespace lmw::gateway
