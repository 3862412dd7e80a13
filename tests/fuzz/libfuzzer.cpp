// libFuzzer's way into a target.
#include <cstddef>
#include <cstdint>

#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are bytes
  lmw::fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
