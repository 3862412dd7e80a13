// Content codings of a body (RFC 9110 §8.4): which a head names, and undoing them piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/decompressor.hpp"
#include "wire/http_message.hpp"

namespace lmw::wire {

// For Accept-Encoding and for people.
inline constexpr std::string_view accepted_codings = "zstd, gzip, br, deflate";
// One on top of the other. A second one is rare, a third a mistake or an attack.
inline constexpr std::size_t max_codings = 2;

// The codings of a body in the order they were applied; `identity` is none, `x-gzip` is gzip. Nothing: one of
// them is unknown, or there are more than max_codings.
std::optional<std::vector<Coding>> content_codings(const Headers& headers);

// Undoes the codings of a body that has come whole, the last one first. Each step is bounded, so that a
// thread with other work can do that in between; and what a body grows to is bounded after every one of its
// codings, so that a bomb costs no more than the limit.
class BodyDecoder {
 public:
  // One step takes and makes at most this many bytes: a few milliseconds.
  static constexpr std::size_t step_bytes = std::size_t{1} << 20;

  BodyDecoder(std::vector<Coding> codings, std::string body, std::uint64_t limit);

  enum class Fault {
    corrupt,    // not what its codings say: damaged, cut short, followed by other bytes
    too_large,  // more bytes than the limit
  };
  // Does some of the work; true when all of it is done. After a fault it must not be called again.
  std::expected<bool, Fault> step();

  // Once it is done.
  std::string take() { return std::move(input_); }

 private:
  void begin_coding();
  std::expected<bool, Fault> finish_coding();

  std::vector<Coding> codings_;  // still to undo, the next one last
  std::uint64_t limit_;
  std::unique_ptr<Decompressor> current_;
  std::string input_;  // of the current coding
  std::size_t taken_ = 0;
  std::string output_;
};

}  // namespace lmw::wire
