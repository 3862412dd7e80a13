#include "bench/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace lmw::bench {

namespace {

constexpr std::size_t unknowns = 7;  // base, prefill, attn, seq, kvread, tokenize, network
constexpr int most_rounds = 200'000;
constexpr double good_enough = 1e-12;  // change of a cost, as a share of it

using Row = std::array<double, unknowns>;

Row row_of(const Observation& observation) {
  const auto& work = observation.work;
  return {static_cast<double>(observation.steps),
          static_cast<double>(work.prefill_tokens),
          work.attended,
          static_cast<double>(work.decoding),
          work.kv_tokens_read,
          static_cast<double>(observation.tokenized),
          static_cast<double>(observation.network)};
}

}  // namespace

Result<Fit> fit(std::span<const Observation> observations) {
  if (observations.size() < unknowns) return failure("too few measurements");
  std::vector<Row> rows;
  for (const auto& observation : observations) {
    if (observation.seconds <= 0) return failure("a measurement took no time");
    rows.push_back(row_of(observation));
    for (auto& value : rows.back()) value /= observation.seconds;
  }
  // Each cost in turn takes what is best for it, given the others.
  Row solution{};
  std::vector<double> residual(rows.size(), 1);
  for (int round = 0; round < most_rounds; ++round) {
    double change = 0;
    for (std::size_t i = 0; i < unknowns; ++i) {
      double along = 0, square = 0;
      for (std::size_t k = 0; k < rows.size(); ++k) {
        along += rows[k][i] * residual[k];
        square += rows[k][i] * rows[k][i];
      }
      if (square == 0) continue;
      const double next = std::max(0.0, solution[i] + along / square);
      const double by = next - solution[i];
      for (std::size_t k = 0; k < rows.size(); ++k) residual[k] -= rows[k][i] * by;
      if (next > 0) change = std::max(change, std::abs(by) / next);
      solution[i] = next;
    }
    if (change < good_enough) break;
  }
  Fit fitted{.cost = {solution[0], solution[1], solution[2], solution[3], solution[4]},
             .tokenize = solution[5],
             .network = solution[6]};
  for (const double rest : residual) fitted.worst_error = std::max(fitted.worst_error, std::abs(rest));
  return fitted;
}

}  // namespace lmw::bench
