#include "gateway/destination.hpp"

namespace lmw::gateway {

Destination::Destination(Pool& pool, routing::Ticket ticket)
    : pool_(pool), endpoint_(ticket.decision().endpoint), ticket_(std::move(ticket)) {}

bool Destination::move(Instant now) {
  if (ticket_) {
    if (!pool_.router.move(*ticket_, now)) return false;
    endpoint_ = ticket_->decision().endpoint;
    return true;
  }
  tried_.push_back(endpoint_);
  const auto next = pool_.router.lookup_endpoint(tried_);
  if (next) endpoint_ = *next;
  return next.has_value();
}

}  // namespace lmw::gateway
