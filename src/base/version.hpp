#pragma once

#include <string_view>

namespace lmw {

inline constexpr std::string_view version = LMWARDEN_VERSION;

}  // namespace lmw
