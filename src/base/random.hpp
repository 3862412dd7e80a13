// Small deterministic random numbers: equal seeds give equal sequences on every platform.
#pragma once

#include <cmath>
#include <cstdint>

namespace lmw {

// SplitMix64 (Steele, Lea, Flood 2014). Good enough for simulations and jitter, not for secrets.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  // In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // In [low, high], both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(unit() * static_cast<double>(high - low + 1));
  }

  double exponential(double mean) { return -mean * std::log1p(-unit()); }

  // A generator of its own for a sub-sequence, so that one consumer's draws never shift another's.
  Random split() { return Random(next()); }

 private:
  std::uint64_t state_;
};

// Mixes the bits of a 64-bit value (the finaliser of SplitMix64).
constexpr std::uint64_t mix64(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace lmw
