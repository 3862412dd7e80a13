#include "config/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace lmw::config {
namespace {

// Insertions, deletions and replacements (Levenshtein), one row of the table at a time.
std::size_t edits(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const auto replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  constexpr std::size_t longest = 64;  // no setting's name is as long, and the work grows with the square
  if (word.size() > longest) return std::nullopt;
  auto fewest = std::max<std::size_t>(2, word.size() / 3) + 1;
  std::optional<std::string> result;
  for (const auto& candidate : candidates) {
    const auto last_part = std::string_view(candidate).substr(candidate.rfind('.') + 1);  // npos + 1 = 0
    const auto distance = std::min(edits(word, candidate), edits(word, last_part));
    if (distance >= fewest || distance >= word.size()) continue;
    fewest = distance;
    result = candidate;
  }
  return result;
}

}  // namespace lmw::config
