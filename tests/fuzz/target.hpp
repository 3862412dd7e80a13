// A fuzz target is one file of targets/ that defines run(). It states what must hold for every input, not
// only that nothing crashes. The same file is linked with libFuzzer (preset `fuzz`) and with replay.cpp (all
// others).
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <string_view>

namespace lmw::fuzz {

// Tries one input; aborts when something that must hold does not.
void run(std::string_view input);

inline void require(bool holds, std::string_view what,
                    const std::source_location& where = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%u: does not hold: %.*s\n", where.file_name(), static_cast<unsigned>(where.line()),
               static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace lmw::fuzz
