#include "workload/synthetic_plan.hpp"

#include <algorithm>

namespace lmw::workload {

namespace {

// Numbers of blocks that no others come near.
constexpr std::uint64_t main_head = 0x1d8af066d5a4a000;
constexpr std::uint64_t subagent_head = 0x6b1c99a3f0e71000;

struct Content {
  std::uint64_t head;  // the shared system prompt's
  std::uint64_t own;
  int head_blocks;

  std::vector<BlockRun> first(int blocks) const {
    std::vector<BlockRun> runs;
    append(runs, {head, std::min(head_blocks, blocks)});
    append(runs, {own, blocks - head_blocks});
    return runs;
  }
};

Agent plan_agent(const SessionShape& shape, const Content& content, int block_size, std::uint64_t seed) {
  Agent agent{.system_tokens = content.head_blocks * block_size};
  SessionSizes sizes(shape, seed);
  int tokens = shape.shared_tokens;
  for (bool more = true; more;) {
    const auto next = sizes.next();
    tokens += next.new_tokens;
    agent.turns.push_back({.prompt_tokens = tokens,
                           .output_tokens = next.output_tokens,
                           .gap = next.think,
                           .content = content.first((tokens + next.output_tokens) / block_size)});
    tokens += next.output_tokens;
    more = !next.last;
  }
  return agent;
}

SessionShape shape_of_subagents(const SessionShape& shape) {
  const auto& sub = shape.subagents;
  return {.shared_tokens = sub.shared_tokens,
          .first_low = sub.first_low,
          .first_high = sub.first_high,
          .turns_low = sub.turns,
          .turns_high = sub.turns,
          .new_low = sub.new_low,
          .new_high = sub.new_high,
          .output_max = shape.output_max,
          .output_min = shape.output_min,
          .full_output = shape.full_output,
          .think = shape.think};
}

}  // namespace

Session plan_session(const SessionShape& shape, int block_size, std::uint64_t seed) {
  const auto own = [&](std::uint64_t agent) { return mix64(mix64(seed) + 0x9e3779b97f4a7c15 * (agent + 1)); };
  Session session{.id = mix64(seed)};
  session.agents.push_back(
      plan_agent(shape, {main_head, own(0), shape.shared_tokens / block_size}, block_size, seed));
  const auto& sub = shape.subagents;
  const auto turns = static_cast<int>(session.agents.front().turns.size());
  if (sub.count == 0 || turns <= sub.after_turn) return session;
  const auto sub_shape = shape_of_subagents(shape);
  for (int i = 1; i <= sub.count; ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    auto agent = plan_agent(sub_shape, {subagent_head, own(number), sub.shared_tokens / block_size},
                            block_size, own(number));
    agent.after = sub.after_turn - 1;
    agent.joined_by = sub.after_turn;
    session.agents.push_back(std::move(agent));
  }
  return session;
}

}  // namespace lmw::workload
