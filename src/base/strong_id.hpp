// Integers that can't be mixed up with each other.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>

namespace lmw {

template <class Tag, class Rep>
class StrongId {
 public:
  constexpr StrongId() = default;
  constexpr explicit StrongId(Rep value) : value_(value) {}
  constexpr Rep value() const { return value_; }
  friend constexpr auto operator<=>(StrongId, StrongId) = default;

 private:
  Rep value_{};
};

}  // namespace lmw

template <class Tag, class Rep>
struct std::hash<lmw::StrongId<Tag, Rep>> {
  std::size_t operator()(lmw::StrongId<Tag, Rep> id) const noexcept { return std::hash<Rep>{}(id.value()); }
};
