// What there is to measure: the endpoint that agents use, LM Warden where it is one, and the engines behind
// it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/gateway.hpp"
#include "engine/discovery.hpp"

namespace lmw::bench {

struct BedOptions {
  std::string url;                   // where agents send their turns
  std::string admin;                 // LM Warden's admin side; "" = there is none
  std::string admin_token, api_key;  // "" = none
  std::string model;                 // "" = the first that is served
  std::vector<std::string>
      metrics;  // engines whose counters are read; none: LM Warden's, or what is at `url`
};

struct Bed {
  Origin target;
  std::string model;
  std::optional<std::int64_t> max_model_len;
  double tokens_per_word = 1;        // of the model's tokenizer, as far as known
  std::unique_ptr<Gateway> gateway;  // null where none was found
  std::vector<engine::Access> engines;
  std::string engine_version;        // "" = unknown
  std::vector<std::string> notices;  // what won't be measured, and why
};

// An endpoint must answer and serve the model; all else may be missing.
net::awaitable<Result<Bed>> find_bed(BedOptions options);

}  // namespace lmw::bench
