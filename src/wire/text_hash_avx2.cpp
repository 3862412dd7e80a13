// Compiled with -mavx2: only what is static may be in here, or the linker could take this for everybody.
#ifdef __x86_64__
#include <cstddef>
#include <cstdint>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lmw::wire {

std::uint64_t long_text_hash_avx2(const char* data, std::size_t size);
std::uint64_t long_text_hash_avx2(const char* data, std::size_t size) { return XXH3_64bits(data, size); }

}  // namespace lmw::wire
#endif
