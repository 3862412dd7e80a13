// One turn: from its body to the last byte of its answer.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string_view>

#include "net/server_connection.hpp"
#include "simulator/answer.hpp"
#include "simulator/driver.hpp"
#include "simulator/faults.hpp"
#include "simulator/lookups.hpp"
#include "simulator/options.hpp"

namespace lmw::simulator {

// Decided before the engine is asked.
struct TurnPlan {
  wire::Family family = wire::Family::openai;
  bool stream = false;
  std::vector<Generation> generations;  // one; of completions one a prompt
  std::unique_ptr<Answer> answer;       // refers to them
  std::optional<std::int64_t> rank;     // as asked for; may be out of range
  TurnFault fault = TurnFault::none;
  int after_events = 0;
};

// What a turn draws its ids from, with the time for `created`.
struct TurnNaming {
  std::string id;
  std::int64_t created = 0;
  Random* ids = nullptr;
};

// Reads the body and decides the reply. Errors are those that come before the engine sees the request.
std::expected<TurnPlan, ApiError> plan_turn(const SimulatorOptions& options, std::string_view body,
                                            wire::Endpoint endpoint, const TurnNaming& naming);

// vllm-0.32.0-dp4-xxxxxxxx; the same for equal options.
std::string fingerprint(const SimulatorOptions& options);

// Runs the plan and answers. Ends early when the client leaves, and takes the request out of the engine then.
asio::awaitable<void> run_turn(net::ServerConnection& connection, TurnPlan plan,
                               const SimulatorOptions& options, EngineDriver& driver);

// Waits on the scaled clock, until the client leaves at most.
asio::awaitable<void> pause(net::ServerConnection& connection, EngineClock clock, Duration duration);

wire::ResponseHead response_head(int status, std::string_view content_type);

}  // namespace lmw::simulator
