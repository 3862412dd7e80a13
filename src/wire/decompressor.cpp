#include "wire/decompressor.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

namespace lmw::wire {
namespace {

class Zlib : public Decompressor {
 public:
  explicit Zlib(Coding coding) : members_(coding == Coding::gzip) {
    constexpr int gzip_only = 16;
    ok_ = inflateInit2(&stream_, members_ ? gzip_only + MAX_WBITS : MAX_WBITS) == Z_OK;
  }
  Zlib(const Zlib&) = delete;
  Zlib& operator=(const Zlib&) = delete;
  ~Zlib() override { inflateEnd(&stream_); }

  bool run(std::string_view& in, std::span<char>& out) override {
    if (at_end_ && in.empty()) return ok_;
    if (at_end_) begin();
    if (!ok_) return false;
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    const auto in_size = static_cast<uInt>(std::min(in.size(), most));
    const auto out_size = static_cast<uInt>(std::min(out.size(), most));
    // zlib does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = in_size;
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = out_size;
    const auto result = inflate(&stream_, Z_NO_FLUSH);
    in.remove_prefix(in_size - stream_.avail_in);
    out = out.subspan(out_size - stream_.avail_out);
    at_end_ = result == Z_STREAM_END;
    // Z_BUF_ERROR: nothing to do without more input or room.
    ok_ = at_end_ || result == Z_OK || result == Z_BUF_ERROR;
    return ok_;
  }
  bool complete() const override { return at_end_; }

 private:
  // Bytes follow: the first, or after an end those of another member.
  void begin() {
    ok_ = ok_ && (!started_ || members_) && inflateReset(&stream_) == Z_OK;
    started_ = true;
    at_end_ = false;
  }

  z_stream stream_{};
  bool members_;
  bool ok_ = false;
  bool started_ = false;
  bool at_end_ = true;
};

class Brotli : public Decompressor {
 public:
  bool run(std::string_view& in, std::span<char>& out) override {
    if (!state_) return false;
    if (complete()) {
      if (in.empty()) return true;
      if (started_) return false;
    }
    started_ = true;
    std::size_t in_size = in.size(), out_size = out.size();
    const auto* next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    auto* next_out = reinterpret_cast<std::uint8_t*>(out.data());
    const auto result =
        BrotliDecoderDecompressStream(state_.get(), &in_size, &next_in, &out_size, &next_out, nullptr);
    in.remove_prefix(in.size() - in_size);
    out = out.subspan(out.size() - out_size);
    return result != BROTLI_DECODER_RESULT_ERROR;
  }
  bool complete() const override { return !started_ || BrotliDecoderIsFinished(state_.get()); }

 private:
  struct Free {
    void operator()(BrotliDecoderState* state) const { BrotliDecoderDestroyInstance(state); }
  };
  std::unique_ptr<BrotliDecoderState, Free> state_{BrotliDecoderCreateInstance(nullptr, nullptr, nullptr)};
  bool started_ = false;
};

class Zstd : public Decompressor {
 public:
  Zstd() {
    constexpr int window_log_max = 23;
    ok_ = context_ &&
          !ZSTD_isError(ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, window_log_max));
  }
  bool run(std::string_view& in, std::span<char>& out) override {
    if (!ok_) return false;
    if (in.empty() && at_end_) return true;  // asked for more it would begin another frame
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const auto result = ZSTD_decompressStream(context_.get(), &to, &from);
    in.remove_prefix(from.pos);
    out = out.subspan(to.pos);
    ok_ = !ZSTD_isError(result);
    at_end_ = result == 0;
    return ok_;
  }
  bool complete() const override { return at_end_; }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, Free> context_{ZSTD_createDCtx()};
  bool ok_ = false;
  bool at_end_ = true;  // between two frames
};

}  // namespace

std::unique_ptr<Decompressor> make_decompressor(Coding coding) {
  switch (coding) {
    case Coding::gzip:
    case Coding::deflate:
      return std::make_unique<Zlib>(coding);
    case Coding::br:
      return std::make_unique<Brotli>();
    case Coding::zstd:
      return std::make_unique<Zstd>();
  }
  return nullptr;
}

}  // namespace lmw::wire
