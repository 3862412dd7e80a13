#include "workload/synthetic_session.hpp"

#include <array>

namespace lmw::workload {
namespace {

constexpr auto kWords = std::to_array<std::string_view>({
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

}  // namespace

std::string random_words(int count, Random& random) {
  std::string text;
  text.reserve(static_cast<std::size_t>(count) * 7);
  for (int i = 0; i < count; ++i) {
    text += kWords[static_cast<std::size_t>(random.between(0, std::ssize(kWords) - 1))];
  }
  return text;
}

std::string system_prompt(const SessionShape& shape, std::string_view salt) {
  Random words(hash(salt));
  return random_words(shape.shared_tokens, words);
}

SyntheticSession::SyntheticSession(const SessionShape& shape, std::uint64_t seed, std::string_view salt)
    : sizes_(shape, seed), words_(mix64(hash(salt) + seed)) {}

SyntheticSession::Turn SyntheticSession::next() {
  const auto sizes = sizes_.next();
  return {.index = sizes.index,
          .new_user_text = random_words(sizes.new_tokens, words_),
          .max_tokens = sizes.output_tokens,
          .think = sizes.think,
          .last = sizes.last};
}

}  // namespace lmw::workload
