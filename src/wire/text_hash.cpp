#include "wire/text_hash.hpp"

namespace lmw::wire {

#ifdef __x86_64__
std::uint64_t long_text_hash_avx2(const char* data, std::size_t size);  // text_hash_avx2.cpp
#endif

std::uint64_t long_text_hash(std::string_view text) {
#ifdef __x86_64__
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) return long_text_hash_avx2(text.data(), text.size());
#endif
  return XXH3_64bits(text.data(), text.size());
}

}  // namespace lmw::wire
