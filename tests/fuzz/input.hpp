// Inputs of the targets that read a stream in pieces: the fuzzer chooses the cuts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace lmw::fuzz {

// Bytes in a block of their own: reading past either end is seen by AddressSanitizer.
using Bytes = std::vector<char>;

inline std::string_view view(const Bytes& bytes) { return {bytes.data(), bytes.size()}; }

// The first line is for the test: a letter that chooses a variant, and then the sizes of the pieces, a byte
// each ('!' is 1, '"' is 2, ...), used again and again until the text is at its end. The text is the rest.
struct Input {
  char choice = 0;
  std::string_view sizes;
  std::string_view text;

  explicit Input(std::string_view input) {
    const auto line = std::min(input.find('\n'), input.size());
    text = input.substr(std::min(line + 1, input.size()));
    if (line > 0) choice = input[0];
    sizes = input.substr(std::min<std::size_t>(1, line), line - std::min<std::size_t>(1, line));
  }

  std::vector<Bytes> pieces() const {
    std::vector<Bytes> result;
    for (std::size_t at = 0, i = 0; at < text.size(); ++i) {
      const auto size = sizes.empty() ? text.size() : piece_size(sizes[i % sizes.size()]);
      const auto piece = text.substr(at, size);
      result.emplace_back(piece.begin(), piece.end());
      at += piece.size();
    }
    return result;
  }

 private:
  static std::size_t piece_size(char c) { return static_cast<unsigned char>(c - '!') + std::size_t{1}; }
};

inline std::vector<Bytes> single_bytes(std::string_view text) {
  std::vector<Bytes> result;
  for (const char c : text) result.push_back({c});
  return result;
}

inline std::vector<Bytes> whole(std::string_view text) { return {Bytes(text.begin(), text.end())}; }

}  // namespace lmw::fuzz
