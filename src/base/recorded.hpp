// For tests: what was recorded from a real engine.
#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace lmw {

// The whole file tests/recorded/`name`.
inline std::string recorded(const std::string& name) {
  const std::string path = LMWARDEN_SOURCE_DIR "/tests/recorded/" + name;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("there is no " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace lmw
