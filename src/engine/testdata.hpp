// Recorded bytes for the tests of this folder.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace lmw::engine {

// The whole file src/engine/testdata/`name`.
inline std::string testdata(const std::string& name) {
  const auto path = std::filesystem::path(__FILE__).parent_path() / "testdata" / name;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("no test data at " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace lmw::engine
