// Time as the engines see it. On a real box an engine second is a second; beside a simulator that runs N
// times faster (`--time-scale N`) it is 1/N s of the wall clock, and all reported times are engine seconds.
#pragma once

#include <chrono>

namespace lmw {

using Duration = std::chrono::nanoseconds;

// Tag of the engine time line. Only EngineClock, or a virtual clock, makes instants.
struct EngineTime {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  static constexpr bool is_steady = true;
};
using Instant = std::chrono::time_point<EngineTime, Duration>;

constexpr double seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

constexpr Duration from_seconds(double s) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(s));
}

// Reads the steady clock, scaled. Edges read it once an event; pure code gets the Instant as an argument.
class EngineClock {
 public:
  explicit EngineClock(double scale = 1.0) : scale_(scale), start_(std::chrono::steady_clock::now()) {}

  double scale() const { return scale_; }

  Instant now() const {
    const auto wall = std::chrono::steady_clock::now() - start_;
    return Instant(from_seconds(seconds(wall) * scale_));
  }

  // How long a timer must run on the wall clock to span `engine` time.
  std::chrono::nanoseconds wall(Duration engine) const { return from_seconds(seconds(engine) / scale_); }

 private:
  double scale_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace lmw
