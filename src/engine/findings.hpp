// What an engine's facts mean for its user.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/facts.hpp"

namespace lmw::engine {

enum class Severity { ok, note, warning, problem };

// Where a finding is known from: paths of the engine, the configuration, our own default, the probe.
enum class Source { unknown, version, models, metrics, server_info, configured, assumed, probe };

struct Finding {
  Severity severity = Severity::ok;
  std::string topic;   // "version", "replicas", "kv capacity", ...
  std::string text;    // what was found
  std::string advice;  // what to do about it; "" = nothing
  Source source = Source::unknown;
};

// What a short probe of the engine showed beyond discovery.
struct ProbeResult {
  bool ran = false;
  bool reports_cached_tokens = false;
  std::string error;  // why the probe failed; "" = it did not
};

std::string_view describe(Severity severity);
std::string_view describe(Source source);  // "/metrics", "configured", ...

// In the order in which a person would want to read them.
std::vector<Finding> findings(const Facts& facts, const ProbeResult& probe);

// A list of objects with the members of Finding, as programs read them.
nlohmann::ordered_json to_json(const std::vector<Finding>& findings);

}  // namespace lmw::engine
