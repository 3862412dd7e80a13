// Hardware and model as the replica model sees them. One engine step takes
//
//   slow × (base + prefill·P + attn·Σ(p·ctx) + seq·D + kvread·Σ ctx of decoding sequences)   seconds
//
// P: prompt tokens computed in the step; p·ctx: each chunk's tokens × the mean position they attend to; D:
// sequences that decode.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace lmw::replica {

struct StepCost {
  double base = 0;     // s
  double prefill = 0;  // s a prompt token
  double attn = 0;     // s a (token × position)
  double seq = 0;      // s a decoding sequence
  double kvread = 0;   // s a KV token read by decoding
};

// What one step computes, in the terms of the formula above.
struct StepWork {
  int prefill_tokens = 0;
  double attended = 0;
  int decoding = 0;
  double kv_tokens_read = 0;
};

// Without the factor `slow`.
double step_seconds(const StepCost& cost, const StepWork& work);

struct Profile {
  std::string name;
  StepCost cost;
  std::vector<double> slow;    // factor of each replica, repeated when there are more replicas; empty: all 1
  std::int64_t kv_tokens = 0;  // KV capacity of a replica
  int block_size = 16;         // tokens
  // vLLM's native KV offloading (--kv-offloading-size): a copy of what was computed in host memory, of each
  // replica its own; 0: none.
  std::int64_t host_kv_tokens = 0;
  double host_load = 1.2e-5;  // s a token brought back (at 12 GB/s), one load after another
  double kv_bytes = 147'456;  // of a token: 36 layers of 8 heads of 128 in 16 bits, as of Qwen3-4B
  int max_num_seqs = 256;
  int max_num_batched_tokens = 2048;  // token budget of a step
  int max_model_len = 32768;
  // What lies outside of the replica, for who models the way to it: the network between client and engine,
  // each way, and chat template and tokenizer, which read the whole prompt though it is cached.
  Duration network{};
  double tokenize = 0;  // s a prompt token

  double slow_factor(int replica) const;
  // From the client to the scheduler.
  Duration way_in(int prompt_tokens) const;
};

std::span<const Profile> profiles();
// Null when there is none of that name.
const Profile* find_profile(std::string_view name);

}  // namespace lmw::replica
