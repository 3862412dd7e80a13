// Requests as bytes for peek(), and as a document to compare with.
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/fingerprint.hpp"
#include "wire/peek.hpp"

namespace lmw::fuzz {

using Json = nlohmann::json;

// A body with the padding that peek() asks for, and not a byte more.
class Body {
 public:
  explicit Body(std::string_view text, char padding = '\0')
      : size_(text.size()), bytes_(new char[size_ + wire::padding]) {
    std::ranges::copy(text, bytes_.get());
    std::fill_n(bytes_.get() + size_, wire::padding, padding);
  }
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> bytes_;
};

// The document that any reader must see in the text; discarded where there is none. A byte order mark and a
// NUL, neither of which JSON allows, and deep nesting are for the engine to judge.
inline Json document_of(std::string_view text) {
  constexpr std::ptrdiff_t depth = 900;
  const auto opened = std::ranges::count_if(text, [](char c) { return c == '{' || c == '['; });
  if (text.starts_with("\xef\xbb\xbf") || text.contains('\0') || opened > depth)
    return Json::value_t::discarded;
  return Json::parse(text, nullptr, false);
}

// All of a fingerprint, to compare.
inline auto members_of(const Fingerprint& print) {
  using Pieces = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  const auto pieces_of = [](const std::vector<Fingerprint::Piece>& pieces) {
    Pieces result;
    for (const auto& piece : pieces) result.emplace_back(piece.end, piece.hash);
    return result;
  };
  std::vector<std::tuple<std::uint64_t, std::uint64_t, Pieces>> messages;
  for (const auto& message : print.messages)
    messages.emplace_back(message.exact, message.identity, pieces_of(message.pieces));
  return std::tuple(print.system.hash, pieces_of(print.system.pieces), print.tools.hash,
                    pieces_of(print.tools.pieces), std::move(messages), print.tails);
}

inline bool equal(const Fingerprint& a, const Fingerprint& b) { return members_of(a) == members_of(b); }

}  // namespace lmw::fuzz
