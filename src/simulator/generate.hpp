// From a request to what its replicas are asked and will say.
#pragma once

#include <expected>
#include <vector>

#include "simulator/options.hpp"
#include "simulator/reply.hpp"
#include "simulator/request.hpp"

namespace lmw::simulator {

// One generation; of completions one a prompt. Ids of tool calls are drawn from `ids`.
std::expected<std::vector<Generation>, ApiError> generate(const SimulatorOptions& options,
                                                          const TurnRequest& request, Random& ids);

// How many tokens the answer to a prompt of so many may have: as asked, or what the context has room for.
std::expected<std::int64_t, ApiError> granted_tokens(const SimulatorOptions& options,
                                                     const TurnRequest& request, std::int64_t prompt);

}  // namespace lmw::simulator
