#include "lab/provenance.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/version.hpp"

namespace lmw::lab {

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
       fmt::format("{}: base {:g} s, prefill {:g} s/token, attn {:g}, seq {:g}, kvread {:g}; "
                   "{} KV tokens in blocks of {}, {} in the host tier at {:g} s/token; max_num_seqs {}; "
                   "cards [{}]; network {:g} s, tokenizer {:g} s/token",
                   profile.name, cost.base, cost.prefill, cost.attn, cost.seq, cost.kvread, profile.kv_tokens,
                   profile.block_size, profile.host_kv_tokens, profile.host_load, profile.max_num_seqs,
                   fmt::join(profile.slow, ", "), seconds(profile.network), profile.tokenize)},
      {"sessions", sessions_text(workload)},
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
