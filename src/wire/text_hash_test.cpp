#include "wire/text_hash.hpp"

#include <string>

#include <gtest/gtest.h>

namespace lmw::wire {
namespace {

TEST(TextHash, IsTheSameWhateverTheMachineHas) {
  std::string text;
  for (int i = 0; i < 70'000; ++i) text += static_cast<char>('a' + i % 251 % 26);
  for (const std::size_t size : {0, 1, 240, 241, 511, 512, 513, 1'023, 1'024, 4'096, 69'999}) {
    const std::string_view part(text.data() + 1, size);
    EXPECT_EQ(long_text_hash(part), XXH3_64bits(part.data(), part.size())) << size;
    EXPECT_EQ(hash_of(part), long_text_hash(part)) << size;
  }
}

}  // namespace
}  // namespace lmw::wire
