// A closed loop of synthetic agents: each sends its next turn as soon as the last one has ended, and starts a
// new session when one is finished. To the gateway they look like Claude Code.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "base/url.hpp"
#include "net/asio.hpp"
#include "net/client_connection.hpp"
#include "report/turn.hpp"
#include "workload/synthetic_session.hpp"

namespace lmw::bench {

struct AgentsOptions {
  Origin target;
  std::string model;
  int agents = 8;
  workload::SessionShape shape;
  std::uint64_t seed = 1;
  std::string salt;  // different salts share no prompt text
};

class Agents {
 public:
  // The clock must outlive it.
  Agents(net::asio::io_context& context, AgentsOptions options, const EngineClock& clock);

  void start();
  // No new turn begins; turns under way are dropped, as by users who leave.
  void stop();
  // After stop(): nothing of it runs any more.
  bool ended() const { return running_ == 0; }

  // Ended turns, by their end.
  const std::vector<report::Turn>& samples() const { return samples_; }

 private:
  struct Session;
  net::awaitable<void> agent(int index);
  net::awaitable<void> sessions(int index);
  net::awaitable<report::Turn> turn(Session& session);
  net::awaitable<std::string> read_answer(net::ClientConnection& connection, report::Turn& sample);

  net::asio::io_context& context_;
  AgentsOptions options_;
  const EngineClock& clock_;
  std::string system_prompt_;
  std::vector<report::Turn> samples_;
  std::vector<net::ClientConnection*> open_;  // by agent; null between two turns
  int running_ = 0;
  bool stopping_ = false;
};

}  // namespace lmw::bench
