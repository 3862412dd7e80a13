// The product's router before the engine of the lab.
#pragma once

#include <unordered_map>

#include "lab/policy.hpp"
#include "routing/router.hpp"

namespace lmw::lab {

class Affinity : public Policy {
 public:
  // As the gateway asks it again for turns that wait.
  static constexpr Duration admit_interval = std::chrono::milliseconds(100);

  Affinity(const EngineFacts& engine, const routing::RouterSettings& settings);

  void arrived(const Arrival& turn, Instant now, Releases& out) override;
  void first_token(TurnId turn, Instant now) override;
  void ended(const Ended& turn, Instant now, Releases& out) override;
  void read(std::span<const replica::ReplicaStats> stats, Instant now) override;
  std::optional<Instant> wake_at() const override;
  void woken(Instant now, Releases& out) override;

  const routing::Router& router() const { return router_; }

 private:
  struct Sent {
    routing::Ticket ticket;
    Instant arrived;
  };

  void release(TurnId turn, const routing::Decision& decision, Releases& out) const;
  void release_admitted(Releases& out);

  routing::Router router_;
  std::unordered_map<TurnId, Sent> turns_;  // held or in flight
  std::unordered_map<routing::TurnId, TurnId> held_;
  Instant asked_{};  // the router for turns to let in
};

}  // namespace lmw::lab
