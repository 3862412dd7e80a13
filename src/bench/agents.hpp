// Agents at work over HTTP: the sessions of workload::Clients, sent at their time, and what became of each
// turn.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "base/url.hpp"
#include "bench/exchange.hpp"
#include "net/asio.hpp"
#include "net/client_connection.hpp"
#include "workload/clients.hpp"
#include "workload/words.hpp"

namespace lmw::bench {

struct AgentsOptions {
  Origin target;
  Dialect dialect;
  std::uint64_t seed = 1;
  int block_size = 16;  // of the sessions
  double tokens_per_word = 1;
  std::string salt;  // different salts share neither prompt text nor ids of conversations
};

class Agents {
 public:
  // Source and clock must outlive it.
  Agents(net::asio::io_context& context, AgentsOptions options, workload::SessionSource& sessions,
         const EngineClock& clock);

  // As of workload::Clients.
  void begin(const workload::Load& load);

  // No new turn begins; turns under way are dropped, as by users who leave.
  void stop();
  // After stop(): nothing of it runs any more.
  bool ended() const { return running_ == 0; }
  // No turn is under way or due.
  bool is_idle() const { return under_way_ == 0 && !clients_.next_due(); }

  const std::vector<report::Turn>& turns() const { return clients_.turns(); }
  // Why the last turn that failed did; "" = none has.
  const std::string& last_failure() const { return last_failure_; }

 private:
  void spawn(net::awaitable<void> task);
  net::awaitable<void> loop();
  net::awaitable<void> turn(workload::TurnId id);
  net::awaitable<bool> exchange(workload::TurnId id, workload::Transcript& transcript);
  void note(workload::TurnId id, const Answer& answer);
  Sender sender(workload::TurnId id) const;
  std::shared_ptr<workload::Transcript> transcript_of(workload::TurnId id);
  void forget(workload::TurnId id, bool failed);

  net::asio::io_context& context_;
  AgentsOptions options_;
  const EngineClock& clock_;
  workload::Words words_;
  workload::Clients clients_;
  std::map<std::uint64_t, std::shared_ptr<workload::Transcript>> transcripts_;  // by conversation
  std::set<net::ClientConnection*> open_;                                       // of turns under way
  net::asio::steady_timer due_;
  std::string last_failure_;
  int running_ = 0;    // coroutines
  int under_way_ = 0;  // turns
  bool stopping_ = false;
};

}  // namespace lmw::bench
