#include "wire/content_coding.hpp"

#include <brotli/encode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include "base/random.hpp"

namespace lmw::wire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Coding all_codings[] = {Coding::gzip, Coding::deflate, Coding::br, Coding::zstd};
constexpr std::size_t mib = std::size_t{1} << 20;

std::string zlib_encoded(const std::string& text, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

std::string brotli_encoded(const std::string& text) {
  std::size_t size = BrotliEncoderMaxCompressedSize(text.size()) + 16;
  std::string result(size, '\0');
  EXPECT_TRUE(BrotliEncoderCompress(4, BROTLI_DEFAULT_WINDOW, BROTLI_DEFAULT_MODE, text.size(),
                                    reinterpret_cast<const std::uint8_t*>(text.data()), &size,
                                    reinterpret_cast<std::uint8_t*>(result.data())));
  result.resize(size);
  return result;
}

std::string zstd_encoded(const std::string& text) {
  auto* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string result(ZSTD_compressBound(text.size()), '\0');
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer out{result.data(), result.size(), 0};
  EXPECT_EQ(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0U);
  result.resize(out.pos);
  ZSTD_freeCCtx(context);
  return result;
}

std::string encoded(Coding coding, const std::string& text) {
  switch (coding) {
    case Coding::gzip:
      return zlib_encoded(text, 16 + MAX_WBITS);
    case Coding::deflate:
      return zlib_encoded(text, MAX_WBITS);
    case Coding::br:
      return brotli_encoded(text);
    case Coding::zstd:
      return zstd_encoded(text);
  }
  return {};
}

struct Decoded {
  std::expected<std::string, BodyDecoder::Fault> text;
  int steps = 0;
};

Decoded decoded(std::vector<Coding> codings, std::string body, std::uint64_t limit = 64 * mib) {
  BodyDecoder decoder(std::move(codings), std::move(body), limit);
  for (int steps = 1;; ++steps) {
    const auto done = decoder.step();
    if (!done) return {std::unexpected(done.error()), steps};
    if (*done) return {decoder.take(), steps};
  }
}

std::string text_of(Coding coding, std::string body) {
  return decoded({coding}, std::move(body)).text.value_or("(a fault)");
}

std::string random_text(std::size_t size) {
  Random random(7);
  std::string text(size, '\0');
  for (auto& c : text) c = static_cast<char>(random.between(0, 255));
  return text;
}

std::optional<std::vector<Coding>> codings_of(std::vector<std::string> values) {
  Headers headers;
  for (const auto& value : values) headers.add("content-encoding", value);
  return content_codings(headers);
}

TEST(ContentCodings, AreReadInTheOrderTheyWereApplied) {
  EXPECT_THAT(codings_of({}).value(), IsEmpty());
  EXPECT_THAT(codings_of({"identity", " , ,IDENTITY", ""}).value(), IsEmpty());
  EXPECT_THAT(codings_of({"zstd"}).value(), ElementsAre(Coding::zstd));
  EXPECT_THAT(codings_of({"X-GZip"}).value(), ElementsAre(Coding::gzip));
  EXPECT_THAT(codings_of({"gzip,\tzstd "}).value(), ElementsAre(Coding::gzip, Coding::zstd));
  EXPECT_THAT(codings_of({"br", "identity, deflate"}).value(), ElementsAre(Coding::br, Coding::deflate));
}

TEST(ContentCodings, ThatAreUnknownOrTooManyAreNothing) {
  EXPECT_EQ(codings_of({"compress"}), std::nullopt);
  EXPECT_EQ(codings_of({"gzip, foo"}), std::nullopt);
  EXPECT_EQ(codings_of({"gzip;q=1"}), std::nullopt);
  EXPECT_EQ(codings_of({"gzip zstd"}), std::nullopt);
  EXPECT_EQ(codings_of({"gzip, gzip, gzip"}), std::nullopt);
}

TEST(BodyDecoder, UndoesEachCodingWhateverTheSize) {
  for (const auto coding : all_codings) {
    for (const auto& text :
         {std::string(), std::string("x"), std::string(3 * mib + 1, 'x'), random_text(3 * mib)}) {
      EXPECT_TRUE(text_of(coding, encoded(coding, text)) == text) << text.size();
    }
  }
}

TEST(BodyDecoder, UndoesTwoCodingsTheLastFirst) {
  const std::string text = random_text(100'000);
  for (const auto inner : all_codings) {
    for (const auto outer : all_codings) {
      EXPECT_TRUE(decoded({inner, outer}, encoded(outer, encoded(inner, text))).text == text);
    }
  }
}

TEST(BodyDecoder, LeavesAnEmptyBodyEmpty) {
  for (const auto coding : all_codings) {
    EXPECT_EQ(text_of(coding, ""), "");
    EXPECT_EQ(decoded({coding, coding}, "").text, "");
  }
  EXPECT_EQ(decoded({}, "as it is").text, "as it is");
}

TEST(BodyDecoder, TakesGzipMembersAndZstdFramesThatFollowEachOther) {
  for (const auto coding : {Coding::gzip, Coding::zstd}) {
    const auto one = encoded(coding, "one "), none = encoded(coding, ""),
               two = encoded(coding, random_text(2 * mib));
    EXPECT_TRUE(text_of(coding, none + one + none + two + none) == "one " + random_text(2 * mib));
  }
  const std::string skippable("\x50\x2a\x4d\x18\x03\0\0\0abc", 11);
  EXPECT_EQ(text_of(Coding::zstd, skippable + encoded(Coding::zstd, "text") + skippable), "text");
}

TEST(BodyDecoder, RefusesDataThatIsCutShortAnywhere) {
  for (const auto coding : all_codings) {
    const auto whole = encoded(coding, random_text(300));
    for (std::size_t size = 1; size < whole.size(); ++size) {
      EXPECT_EQ(decoded({coding}, whole.substr(0, size)).text, std::unexpected(BodyDecoder::Fault::corrupt))
          << size;
    }
  }
}

TEST(BodyDecoder, RefusesBytesBehindTheEnd) {
  for (const auto coding : all_codings) {
    for (const auto& garbage : {std::string(1, '\0'), std::string("x"), std::string(2 * mib, 'x')}) {
      EXPECT_EQ(decoded({coding}, encoded(coding, "text") + garbage).text,
                std::unexpected(BodyDecoder::Fault::corrupt));
    }
  }
}

TEST(BodyDecoder, RefusesWhatIsNotEncodedAtAll) {
  for (const auto coding : all_codings) {
    EXPECT_EQ(decoded({coding}, R"({"model":"tiny"})").text, std::unexpected(BodyDecoder::Fault::corrupt));
  }
}

TEST(BodyDecoder, EndsOnDamagedDataWithAFaultOrAText) {
  Random random(1);
  for (const auto coding : all_codings) {
    const auto whole = encoded(coding, std::string(5000, 'x') + random_text(500));
    for (int i = 0; i < 500; ++i) {
      auto damaged = whole;
      damaged[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(whole.size()) - 1))] ^=
          static_cast<char>(random.between(1, 255));
      const auto end = decoded({coding}, damaged, mib);
      EXPECT_LE(end.text.value_or("").size(), mib);
    }
  }
}

TEST(BodyDecoder, StopsABombAtTheLimit) {
  for (const auto coding : all_codings) {
    const auto bomb = encoded(coding, std::string(20 * mib, '\0'));
    EXPECT_LT(bomb.size(), mib);
    const auto end = decoded({coding}, bomb, 4 * mib);
    EXPECT_EQ(end.text, std::unexpected(BodyDecoder::Fault::too_large));
    EXPECT_EQ(end.steps, 5);  // 1 MiB each, and one byte that is too much
    EXPECT_EQ(decoded({coding, Coding::gzip}, encoded(Coding::gzip, bomb), 4 * mib).text,
              std::unexpected(BodyDecoder::Fault::too_large));
  }
}

TEST(BodyDecoder, LetsTheLimitItselfPass) {
  for (const auto coding : all_codings) {
    const auto body = encoded(coding, std::string(2 * mib, 'x'));
    EXPECT_TRUE(decoded({coding}, body, 2 * mib).text.has_value());
    EXPECT_EQ(decoded({coding}, body, 2 * mib - 1).text, std::unexpected(BodyDecoder::Fault::too_large));
  }
}

TEST(BodyDecoder, WorksInSteps) {
  for (const auto coding : all_codings) {
    EXPECT_GE(decoded({coding}, encoded(coding, std::string(8 * mib, 'x'))).steps, 8);
  }
  // Much to read, nothing to write.
  std::string frames;
  const auto none = encoded(Coding::gzip, "");
  while (frames.size() < 3 * mib) frames += none;
  const auto end = decoded({Coding::gzip}, frames);
  EXPECT_EQ(end.text, "");
  EXPECT_GE(end.steps, 3);
}

TEST(BodyDecoder, RefusesAZstdWindowBeyondTheStandards) {
  // A frame of one raw block; its sixth byte has the logarithm of the window, less 10, times 8.
  std::string frame("\x28\xb5\x2f\xfd\x00\x68\x09\x00\x00x", 10);
  EXPECT_EQ(text_of(Coding::zstd, frame), "x");
  frame[5] = '\x70';
  EXPECT_EQ(decoded({Coding::zstd}, frame).text, std::unexpected(BodyDecoder::Fault::corrupt));
}

}  // namespace
}  // namespace lmw::wire
