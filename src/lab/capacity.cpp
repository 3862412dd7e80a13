#include "lab/capacity.hpp"

#include <algorithm>

namespace lmw::lab {

namespace {

constexpr int turns = 16;

}  // namespace

int sessions_that_fit(const Agents& agents, std::int64_t kv_tokens) {
  const int shared = std::min(agents.shared, agents.context);
  const std::int64_t own = std::max(1, agents.context - shared);
  return static_cast<int>(std::max<std::int64_t>(0, (kv_tokens - shared) / own));
}

workload::SessionShape shape_of(const Agents& agents) {
  const int shared = std::min(agents.shared, agents.context - 1);
  const int own = agents.context - shared;
  const int added = std::max(2, own / 2 / turns);  // of a turn: a message and its answer
  const int output = std::clamp(added / 4, 1, 256);
  const int first = std::max(1, own - (turns - 1) * added - output);
  return {.shared_tokens = shared,
          .first_low = first,
          .first_high = first,
          .turns_low = turns,
          .turns_high = turns,
          .new_low = added - output,
          .new_high = added - output,
          .output_max = output,
          .output_min = output,
          .full_output = 1,
          .think = {agents.think, 10 * agents.think}};
}

std::vector<int> around(int sessions) {
  std::vector<int> numbers;
  for (const int percent : {50, 75, 100, 125, 150, 200}) {
    numbers.push_back(std::max(1, sessions * percent / 100));
  }
  const auto [first, last] = std::ranges::unique(numbers);
  numbers.erase(first, last);
  return numbers;
}

}  // namespace lmw::lab
