// Measures an engine that has nothing else to do, for the replica model: prompts of several lengths, each a
// second time when it is cached, and answers alone and side by side. Each on all replicas at once, as they
// work when the box is busy: they may share the CPU.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/url.hpp"
#include "bench/dialect.hpp"
#include "bench/fit.hpp"
#include "net/asio.hpp"

namespace lmw::bench {

struct CalibrationOptions {
  Origin engine;
  Dialect dialect;
  std::string salt;                   // of its prompts: another one each time
  double tokens_per_word = 1;         // of the model's tokenizer
  std::size_t ranks = 1;              // each a replica, addressed by X-data-parallel-rank
  int longest_prompt = 8000;          // tokens
  int max_num_batched_tokens = 2048;  // the engine's; it does not tell
  int side_by_side = 8;               // answers at the same time; at most the engine's max_num_seqs
  int repeats = 3;                    // of each measurement, of which the median counts
};

struct Calibration {
  Fit fit;
  bool tokenizer_measured = false;  // else its cost is a part of what prefill costs
  std::vector<double> slow;         // of each rank, against the first
};

// A minute or a few. `said` gets a line for each measurement.
net::awaitable<Result<Calibration>> calibrate(net::asio::io_context& context, CalibrationOptions options,
                                              const EngineClock& clock,
                                              std::function<void(const std::string&)> said);

}  // namespace lmw::bench
