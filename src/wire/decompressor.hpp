// One content coding undone as the bytes come, by zlib, libzstd or libbrotli.
#pragma once

#include <memory>
#include <span>
#include <string_view>

namespace lmw::wire {

enum class Coding {
  gzip,     // RFC 1952; members may follow each other
  deflate,  // the zlib format (RFC 1950), as RFC 9110 §8.4.1.2 has it
  br,       // RFC 7932
  zstd,     // RFC 8878; frames may follow each other; a window of at most 8 MiB, as RFC 9659 demands
};

// Memory beside its input and output: the window of the coding, which is 32 KiB for gzip and deflate and at
// most 16 MiB for br.
class Decompressor {
 public:
  virtual ~Decompressor() = default;

  // Takes bytes from the front of `in` and writes to the front of `out`, and removes from both what it has
  // used. What room it leaves in `out` while `in` is empty it has no use for. False: the data is corrupt, or
  // bytes follow its end.
  virtual bool run(std::string_view& in, std::span<char>& out) = 0;
  // Whether the data may end here. No data at all is complete.
  virtual bool complete() const = 0;
};

std::unique_ptr<Decompressor> make_decompressor(Coding coding);

}  // namespace lmw::wire
