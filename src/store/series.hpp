// What a model did, by time: rolled up from 10 s to a minute and an hour, each kept for a bounded time.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace lmw::store {

inline constexpr std::size_t ttfb_buckets = 17;

// Sums over a span of time that begins at `at`.
struct Sample {
  std::int64_t at = 0;                                    // unix seconds
  double seconds = 0;                                     // engine seconds that were seen of it
  std::int64_t cached = 0, computed = 0, completion = 0;  // tokens
  std::int64_t turns = 0, unmeasured = 0, failed = 0;
  double in_flight_seconds = 0;  // turns in flight × engine seconds
  int in_flight_most = 0;
  double held_seconds = 0;  // turns that waited for room × engine seconds
  int held_most = 0;
  std::array<std::int64_t, ttfb_buckets> ttfb{};  // turns, by time to first byte

  void add(const Sample& other);
  friend bool operator==(const Sample&, const Sample&) = default;
};

struct Resolution {
  std::int64_t step = 0;  // seconds
  std::int64_t keep = 0;  // seconds
};
// For two hours, two days, sixty days.
inline constexpr auto resolutions =
    std::to_array<Resolution>({{10, 7'200}, {60, 172'800}, {3600, 5'184'000}});
inline constexpr std::int64_t sample_step = resolutions[0].step;

struct Row {
  std::size_t resolution = 0;  // index into resolutions
  Sample sample;
};

class Series {
 public:
  // Adds 10 seconds, in order of time: an older `at` than the last one counts as the last one. The rows that
  // it has changed, one of each resolution.
  std::vector<Row> add(Sample sample);
  // A row as it was kept; in order of time.
  void restore(const Row& row) { rows_[row.resolution].push_back(row.sample); }

  // Of `from` and later.
  std::vector<Sample> since(std::size_t resolution, std::int64_t from) const;

 private:
  std::array<std::deque<Sample>, resolutions.size()> rows_;
};

}  // namespace lmw::store
