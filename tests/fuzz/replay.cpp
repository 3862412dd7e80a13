// usage: fuzz_TARGET FOLDER...
// Runs the target on every file of the folders: the corpus as an ordinary test, in any build.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "target.hpp"

int main(int count, char** arguments) {
  std::size_t inputs = 0;
  for (int i = 1; i < count; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(arguments[i])) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string input{std::istreambuf_iterator<char>(file), {}};
      // The last line of a run that aborts names its input.
      std::printf("%s\n", entry.path().c_str());
      std::fflush(stdout);
      lmw::fuzz::run(input);
      ++inputs;
    }
  }
  std::printf("%zu inputs\n", inputs);
  return inputs > 0 ? 0 : 1;  // an empty corpus would show nothing
}
