#include "store/series.hpp"

#include <algorithm>

namespace lmw::store {

void Sample::add(const Sample& other) {
  seconds += other.seconds;
  cached += other.cached;
  computed += other.computed;
  completion += other.completion;
  turns += other.turns;
  unmeasured += other.unmeasured;
  failed += other.failed;
  in_flight_seconds += other.in_flight_seconds;
  in_flight_most = std::max(in_flight_most, other.in_flight_most);
  held_seconds += other.held_seconds;
  held_most = std::max(held_most, other.held_most);
  for (std::size_t i = 0; i < ttfb.size(); ++i) ttfb[i] += other.ttfb[i];
}

std::vector<Row> Series::add(Sample sample) {
  std::vector<Row> changed;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    auto& rows = rows_[i];
    const auto [step, keep] = resolutions[i];
    sample.at -= sample.at % step;
    if (!rows.empty() && sample.at <= rows.back().at) {
      rows.back().add(sample);
    } else {
      rows.push_back(sample);
    }
    while (rows.front().at < rows.back().at - keep) rows.pop_front();
    changed.push_back({i, rows.back()});
  }
  return changed;
}

std::vector<Sample> Series::since(std::size_t resolution, std::int64_t from) const {
  const auto& rows = rows_[resolution];
  return {std::ranges::lower_bound(rows, from, {}, &Sample::at), rows.end()};
}

}  // namespace lmw::store
