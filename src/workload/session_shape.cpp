#include "workload/session_shape.hpp"

#include <cassert>
#include <cmath>
#include <numbers>

namespace lmw::workload {

Duration ThinkTime::draw(Random& random) const {
  if (median <= 0) return {};
  // Box and Muller's normal deviate; 1.645 of them reach the 95th percentile.
  const double normal =
      std::sqrt(-2 * std::log1p(-random.unit())) * std::cos(2 * std::numbers::pi * random.unit());
  const double deviation = p95 > median ? std::log(p95 / median) / 1.645 : 0;
  return from_seconds(median * std::exp(deviation * normal));
}

SessionSizes::SessionSizes(const SessionShape& shape, std::uint64_t seed)
    : shape_(shape), random_(mix64(seed)), turns_(shape.turns_low) {
  if (shape.turns_high > shape.turns_low) turns_ = draw(shape.turns_low, shape.turns_high);
  if (shape.heavy_share > 0 && random_.unit() < shape.heavy_share) {
    factor_ = shape.heavy_factor;
    if (shape.heavy_turns > 0) turns_ = shape.heavy_turns;
  }
}

SessionSizes::Turn SessionSizes::next() {
  assert(turn_ < turns_);
  const int size = turn_ == 0 ? static_cast<int>(factor_ * draw(shape_.first_low, shape_.first_high))
                              : draw(shape_.new_low, shape_.new_high);
  const bool full = random_.unit() < shape_.full_output;
  const int output = full ? shape_.output_max : draw(shape_.output_min, shape_.output_max);
  const auto think = turn_ == 0 ? Duration{} : shape_.think.draw(random_);
  const int index = turn_++;
  return {
      .index = index, .new_tokens = size, .output_tokens = output, .think = think, .last = turn_ == turns_};
}

std::uint64_t session_seed(std::uint64_t seed, int client, std::uint64_t number) {
  return mix64(mix64(seed) + static_cast<std::uint64_t>(client) * 1'000'003 + number);
}

}  // namespace lmw::workload
