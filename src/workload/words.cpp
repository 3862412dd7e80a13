#include "workload/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.hpp"

namespace lmw::workload {

namespace {

constexpr auto words = std::to_array<std::string_view>({
    " able",   " above",  " acid",   " add",    " again",  " age",    " air",    " all",    " along",
    " among",  " anchor", " angle",  " answer", " apple",  " april",  " arch",   " area",   " arm",
    " arrow",  " art",    " ash",    " ask",    " aunt",   " award",  " away",   " axis",   " baby",
    " back",   " badge",  " bag",    " bake",   " ball",   " band",   " bank",   " bar",    " barn",
    " basin",  " bath",   " beach",  " bean",   " bear",   " beat",   " bed",    " bee",    " bell",
    " belt",   " bench",  " best",   " big",    " bike",   " bill",   " bird",   " black",  " blade",
    " blank",  " blue",   " board",  " boat",   " body",   " bold",   " bone",   " book",   " boot",
    " born",   " both",   " bowl",   " box",    " boy",    " brain",  " bread",  " brick",  " bridge",
    " bright", " bring",  " broad",  " brown",  " brush",  " bulb",   " bus",    " bush",   " busy",
    " butter", " button", " cabin",  " cake",   " camel",  " camp",   " canal",  " candle", " cap",
    " car",    " card",   " care",   " cargo",  " carpet", " cart",   " castle", " cat",    " cave",
    " cedar",  " chain",  " chair",  " chalk",  " charm",  " cheese", " cherry", " chest",  " child",
    " circle", " city",   " clay",   " clear",  " cliff",  " cloud",  " clover", " coal",   " coast",
    " coat",   " coffee", " coin",   " cold",   " color",  " comb",   " cook",   " cool",   " copper",
    " coral",  " corn",   " corner", " cotton", " couch",  " cousin", " cover",  " cow",    " crab",
    " crane",  " cream",  " crew",   " crisp",  " crop",   " cross",  " crow",   " crown",  " cup",
    " curve",  " dance",  " dark",   " dawn",   " day",    " deep",   " deer",   " desert", " desk",
    " dew",    " dish",   " dive",   " dog",    " doll",   " donkey", " door",   " dove",   " down",
    " dragon", " dream",  " dress",  " drift",  " drink",  " drum",   " dry",    " duck",   " dune",
    " dust",   " eagle",  " early",  " earth",  " east",   " easy",   " echo",   " edge",   " egg",
    " eight",  " elbow",  " elder",  " elm",    " ember",  " engine",
});

std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 14695981039346656037ULL;  // FNV-1a
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return mix64(value);
}

// The block that a token is in, or would be if the content went on.
std::uint64_t block_at(const std::vector<BlockRun>& content, int index) {
  for (const auto& run : content) {
    if (index < run.count) return run.first + static_cast<std::uint64_t>(index);
    index -= run.count;
  }
  const auto behind =
      content.empty() ? 0 : content.back().first + static_cast<std::uint64_t>(content.back().count);
  return behind + static_cast<std::uint64_t>(index);
}

}  // namespace

Words::Words(int block_size, std::string_view salt, double tokens_per_word)
    : block_size_(block_size), salt_(hash(salt)), tokens_per_word_(tokens_per_word) {}

std::string Words::text(const std::vector<BlockRun>& content, int begin, int end) const {
  // The word that begins at a token or next behind it.
  const auto word_at = [this](int token) {
    return static_cast<std::int64_t>(std::ceil(token / tokens_per_word_));
  };
  const auto first = word_at(begin), last = std::max(word_at(end), begin < end ? first + 1 : first);
  std::string text;
  text.reserve(static_cast<std::size_t>(last - first) * 6);
  for (auto at = first; at < last; ++at) {
    const int token = static_cast<int>(static_cast<double>(at) * tokens_per_word_);
    const auto block = mix64(mix64(block_at(content, token / block_size_)) + salt_);
    text += words[mix64(block + static_cast<std::uint64_t>(at)) % words.size()];
  }
  return text;
}

}  // namespace lmw::workload
