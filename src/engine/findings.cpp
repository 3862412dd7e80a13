#include "engine/findings.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmw::engine {

namespace {

using Findings = std::vector<Finding>;

void judge_version(const Facts& facts, Findings& out) {
  const auto at_least = [&](int minor) { return version_at_least(facts.version, 0, minor); };
  if (!at_least(0)) {
    out.push_back({Severity::note, "version",
                   facts.version.empty() ? "the engine does not tell its version"
                                         : fmt::format("\"{}\" is not a version we can read", facts.version),
                   "check by hand that it is vLLM 0.14 or newer", Source::version});
    return;
  }
  out.push_back({Severity::ok, "version", fmt::format("vLLM {}", facts.version), "", Source::version});
  if (!*at_least(14)) {
    out.push_back({Severity::warning, "version", "before 0.14 X-data-parallel-rank is not reliably honoured",
                   "upgrade vLLM to 0.14 or newer", Source::version});
  }
  if (facts.ranks.size() < 2) return;
  if (!*at_least(27)) {
    out.push_back({Severity::note, "balancer",
                   "before 0.27 the engine's own balancer does not see the load of a dense model's replicas",
                   "leave affinity on", Source::version});
  }
  if (!*at_least(33)) {
    out.push_back({Severity::warning, "responses",
                   "before 0.33 /v1/responses ignores the rank: its conversations do not stay on a replica",
                   "upgrade vLLM to 0.33, or give each replica an engine of its own", Source::version});
  }
}

void judge_replicas(const Facts& facts, Findings& out) {
  const bool configured = facts.configured.ranks.has_value();
  if (!facts.has_metrics) {
    out.push_back({Severity::warning, "metrics",
                   configured ? "no vLLM metrics at /metrics: its load is unseen"
                              : "no vLLM metrics at /metrics: taken for one replica, its load unseen",
                   configured ? "make /metrics reachable" : "make /metrics reachable, or set engine.ranks",
                   Source::metrics});
  }
  const auto count = facts.ranks.size();
  if (configured) {
    out.push_back({Severity::ok, "replicas", fmt::format("{} set", count), "", Source::configured});
  } else if (facts.has_metrics) {
    out.push_back({Severity::ok, "replicas", fmt::format("{} found", count), "", Source::metrics});
  }
}

void judge_capacity(const Facts& facts, Findings& out) {
  const auto known = [](const RankFacts& rank) { return rank.kv_capacity_tokens.has_value(); };
  if (!std::ranges::all_of(facts.ranks, known)) {
    out.push_back(
        {Severity::note, "kv capacity",
         "the engine does not tell it: nobody waits for room in the cache (admission = \"auto\" is off), "
         "and when more conversations live than fit, all their turns become slow",
         "set engine.kv_capacity_tokens if you know it"});
    return;
  }
  const auto [low, high] = std::ranges::minmax(facts.ranks, {}, &RankFacts::kv_capacity_tokens);
  auto text =
      low.kv_capacity_tokens == high.kv_capacity_tokens
          ? fmt::format("{} tokens a replica", *low.kv_capacity_tokens)
          : fmt::format("{} to {} tokens a replica", *low.kv_capacity_tokens, *high.kv_capacity_tokens);
  out.push_back({Severity::ok, "kv capacity", std::move(text), "",
                 facts.configured.kv_capacity_tokens ? Source::configured : Source::metrics});
}

void judge_host_tier(const Facts& facts, Findings& out) {
  const auto& rank = facts.ranks.front();
  if (facts.configured.host_kv_tokens) {
    out.push_back({Severity::ok, "host tier", fmt::format("{} tokens a replica", *rank.host_kv_tokens), "",
                   Source::configured});
  } else if (!rank.host_kv_gib) {
    return;
  } else if (*rank.host_kv_gib <= 0) {
    out.push_back(
        {Severity::ok, "host tier",
         "none: what the KV cache evicts is computed again. Where more conversations live than fit, host "
         "memory for it (vllm serve --kv-offloading-size GIB, for each replica) helps more than any routing",
         "", Source::metrics});
  } else if (rank.host_kv_tokens) {
    out.push_back({Severity::ok, "host tier",
                   fmt::format("{:g} GiB a replica, {} tokens", *rank.host_kv_gib, *rank.host_kv_tokens), "",
                   Source::metrics});
  } else {
    out.push_back({Severity::note, "host tier",
                   fmt::format("{:g} GiB a replica; the engine does not tell how many tokens these are",
                               *rank.host_kv_gib),
                   "set engine.host_kv_tokens: the size ÷ the bytes of a token's KV", Source::metrics});
  }
}

void judge_prefix_caching(const Facts& facts, Findings& out) {
  const auto is = [](bool value) {
    return [value](const RankFacts& rank) { return rank.prefix_caching == value; };
  };
  if (std::ranges::any_of(facts.ranks, is(false))) {
    out.push_back({Severity::problem, "prefix caching",
                   "it is off: no turn finds anything cached, wherever it goes",
                   "start vLLM with --enable-prefix-caching", Source::metrics});
  } else if (std::ranges::all_of(facts.ranks, is(true))) {
    out.push_back({Severity::ok, "prefix caching", "on", "", Source::metrics});
  }
}

void judge_max_num_seqs(const Facts& facts, Findings& out) {
  if (facts.max_num_seqs) {
    out.push_back({Severity::ok, "max_num_seqs", fmt::format("{} a replica", *facts.max_num_seqs), "",
                   facts.configured.max_num_seqs ? Source::configured : Source::server_info});
  } else {
    out.push_back({Severity::note, "max_num_seqs", "unknown: assumed 256 until learnt",
                   "set engine.max_num_seqs", Source::assumed});
  }
}

void judge_probe(const Facts& facts, const ProbeResult& probe, Findings& out) {
  if (!probe.ran) return;
  const bool caching_off =
      std::ranges::any_of(facts.ranks, [](const RankFacts& rank) { return rank.prefix_caching == false; });
  if (!probe.error.empty()) {
    out.push_back({Severity::warning, "cached tokens", fmt::format("the probe failed: {}", probe.error), "",
                   Source::probe});
  } else if (probe.reports_cached_tokens) {
    out.push_back({Severity::ok, "cached tokens", "answers report them", "", Source::probe});
  } else if (!caching_off) {  // with caching off there is nothing to report, and that has been said
    out.push_back({Severity::warning, "cached tokens",
                   "chat answers do not report them: savings can't be measured",
                   "start vLLM with --enable-prompt-tokens-details", Source::probe});
  }
}

}  // namespace

std::string_view describe(Severity severity) {
  switch (severity) {
    case Severity::ok:
      return "ok";
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::problem:
      return "problem";
  }
  return "";
}

std::string_view describe(Source source) {
  switch (source) {
    case Source::unknown:
      return "unknown";
    case Source::version:
      return "/version";
    case Source::models:
      return "/v1/models";
    case Source::metrics:
      return "/metrics";
    case Source::server_info:
      return "/server_info";
    case Source::configured:
      return "configured";
    case Source::assumed:
      return "assumed";
    case Source::probe:
      return "probe";
  }
  return "";
}

std::vector<Finding> findings(const Facts& facts, const ProbeResult& probe) {
  Findings out;
  judge_version(facts, out);
  judge_replicas(facts, out);
  judge_capacity(facts, out);
  judge_host_tier(facts, out);
  judge_prefix_caching(facts, out);
  judge_max_num_seqs(facts, out);
  judge_probe(facts, probe, out);
  return out;
}

nlohmann::ordered_json to_json(const std::vector<Finding>& findings) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& finding : findings) {
    list.push_back({{"severity", describe(finding.severity)},
                    {"topic", finding.topic},
                    {"text", finding.text},
                    {"advice", finding.advice},
                    {"source", describe(finding.source)}});
  }
  return list;
}

}  // namespace lmw::engine
