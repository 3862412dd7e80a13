#include "lab/provenance.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/version.hpp"

namespace lmw::lab {

namespace {

std::string range(int low, int high) {
  return low == high ? std::to_string(low) : fmt::format("{} to {}", low, high);
}

}  // namespace

std::string sessions_text(const Workload& workload) {
  switch (workload.arrivals) {
    case Arrivals::closed:
      return fmt::format("{}", fmt::join(workload.sessions, ", "));
    case Arrivals::poisson:
      return fmt::format("{:g} an hour, at random", workload.sessions_per_hour);
    case Arrivals::recorded:
      break;
  }
  return "as recorded";
}

std::string session_text(const workload::SessionShape& shape) {
  auto text = fmt::format(
      "{} tokens shared, {} first, {} in later messages, {} turns; {} generated, the most in {:g} % "
      "of turns; think time {:g} s, p95 {:g} s",
      shape.shared_tokens, range(shape.first_low, shape.first_high), range(shape.new_low, shape.new_high),
      range(shape.turns_low, shape.turns_high), range(shape.output_min, shape.output_max),
      100 * shape.full_output, shape.think.median, shape.think.p95);
  if (shape.heavy_share > 0) {
    text += fmt::format("; {:g} % are {:g} times as large, with {} turns", 100 * shape.heavy_share,
                        shape.heavy_factor, shape.heavy_turns);
  }
  const auto& sub = shape.subagents;
  if (sub.count > 0) {
    text += fmt::format(
        "; {} sub-agents after turn {}: {} tokens shared, {} first, {} in later messages, {} turns",
        sub.count, sub.after_turn, sub.shared_tokens, range(sub.first_low, sub.first_high),
        range(sub.new_low, sub.new_high), sub.turns);
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> provenance(const Experiment& experiment) {
  const auto& workload = experiment.workload;
  const auto& profile = workload.profile;
  const auto& cost = profile.cost;
  return {
      {"version", "lmwarden " + std::string(version)},
      {"workload", fmt::format("{}: {}", workload.name, workload.what)},
      {"engine",
       fmt::format("replica model, {} replicas, {} API servers", workload.replicas, workload.replicas)},
      {"profile",
       fmt::format(
           "{}: base {:g} s, prefill {:g} s/token, attn {:g}, seq {:g}, kvread {:g}; "
           "{} KV tokens in blocks of {}, {} in the host tier at {:g} s/token; max_num_seqs {}, "
           "max_num_batched_tokens {}, max_model_len {}; cards [{}]; network {:g} s, tokenizer {:g} s/token",
           profile.name, cost.base, cost.prefill, cost.attn, cost.seq, cost.kvread, profile.kv_tokens,
           profile.block_size, profile.host_kv_tokens, profile.host_load, profile.max_num_seqs,
           profile.max_num_batched_tokens, profile.max_model_len, fmt::join(profile.slow, ", "),
           seconds(profile.network), profile.tokenize)},
      {"sessions", sessions_text(workload)},
      {"session", experiment.recorded ? "recorded" : session_text(workload.shape)},
      {"step", fmt::format("{:g} s after {:g} s of warm-up{}", seconds(workload.step), seconds(workload.warm),
                           workload.fresh ? ", each on an empty box" : "")},
      {"seeds", experiment.repeats == 1
                    ? std::to_string(experiment.seed)
                    : fmt::format("{} to {}; means", experiment.seed,
                                  experiment.seed + static_cast<std::uint64_t>(experiment.repeats) - 1)},
      {"clock", "virtual"},
  };
}

}  // namespace lmw::lab
