#include "replica/profile.hpp"

#include <algorithm>
#include <array>

namespace lmw::replica {

double step_seconds(const StepCost& cost, const StepWork& work) {
  return cost.base + cost.prefill * work.prefill_tokens + cost.attn * work.attended +
         cost.seq * work.decoding + cost.kvread * work.kv_tokens_read;
}

double Profile::slow_factor(int replica) const {
  return slow.empty() ? 1.0 : slow[static_cast<std::size_t>(replica) % slow.size()];
}

Duration Profile::way_in(int prompt_tokens) const { return network + from_seconds(tokenize * prompt_tokens); }

namespace {

// Four RTX A4000 with Qwen3-4B. Fitted by random search to a published table of 50 cells: plausible, not
// unique. The cards differ, which is what makes the table's blind placement win the median and lose the tail.
Profile a4000_qwen3_4b() {
  return {.name = "a4000-qwen3-4b",
          .cost = {.base = 0.0233, .prefill = 1.45e-4, .attn = 2.25e-8, .seq = 3e-4, .kvread = 5.1e-7},
          .slow = {1.17, 0.88, 1.17, 0.71},
          .kv_tokens = 38'900,
          .block_size = 16,
          .max_num_seqs = 32,
          .max_num_batched_tokens = 2048,
          .max_model_len = 32'768,
          .network = std::chrono::milliseconds(60)};
}

// A guess at a faster card with a 27B model and room for long agents.
Profile rtx5090_27b() {
  return {.name = "rtx5090-27b",
          .cost = {.base = 0.012, .prefill = 6e-5, .attn = 3e-9, .seq = 2e-4, .kvread = 6e-8},
          .slow = {},
          .kv_tokens = 156'000,
          .block_size = 16,
          .max_num_seqs = 256,
          .max_num_batched_tokens = 2048,
          .max_model_len = 131'072,
          .network = std::chrono::milliseconds(1)};
}

}  // namespace

std::span<const Profile> profiles() {
  static const std::array all{a4000_qwen3_4b(), rtx5090_27b()};
  return all;
}

const Profile* find_profile(std::string_view name) {
  const auto all = profiles();
  const auto found = std::ranges::find(all, name, &Profile::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace lmw::replica
