// The product's router before the engine of the lab.
#pragma once

#include <unordered_map>

#include "lab/policy.hpp"
#include "routing/router.hpp"

namespace lmw::lab {

class Affinity : public Policy {
 public:
  explicit Affinity(const EngineFacts& engine);

  void arrived(const Arrival& turn, Instant now, Releases& out) override;
  void first_token(TurnId turn, Instant now) override;
  void ended(const Ended& turn, Instant now, Releases& out) override;
  void read(std::span<const replica::ReplicaStats> stats, Instant now) override;

  const routing::Router& router() const { return router_; }

 private:
  struct Sent {
    routing::Ticket ticket;
    Instant arrived;
  };

  routing::Router router_{{}, {}};
  std::unordered_map<TurnId, Sent> in_flight_;
};

}  // namespace lmw::lab
