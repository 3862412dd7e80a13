#include "wire/fingerprint.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lmw::wire {
namespace {

using simdjson::error_code;
using simdjson::SUCCESS;

// Of completions, by where the piece begins.
constexpr std::size_t prompt_piece(std::size_t begin) { return begin < 2048 ? 256 : 2048; }
constexpr std::size_t typical_messages = 64;

std::uint64_t hash_of(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }
std::uint64_t combined(std::uint64_t first, std::uint64_t second) {
  return XXH3_64bits_withSeed(&second, sizeof second, first);
}

// All bytes of a value. Reads it to its end.
error_code read_raw(ondemand::value& value, std::string_view& raw) {
  raw = token_of(value);
  if (raw.starts_with('{')) {
    ondemand::object object;
    if (auto error = value.get_object().get(object)) return error;
    return object.raw_json().get(raw);
  }
  if (raw.starts_with('[')) {
    ondemand::array array;
    if (auto error = value.get_array().get(array)) return error;
    return array.raw_json().get(raw);
  }
  return SUCCESS;
}

using Pieces = std::vector<Fingerprint::Piece>;

// Blocks that clients put beside the user's words: they come and go, and many conversations share them.
bool is_reminder(std::string_view text) {
  return text.starts_with("<system-reminder>") || text.starts_with("<environment_context>");
}

// Texts that are added one after the other are cut as one.
void add_pieces(Pieces& pieces, std::string_view text) {
  if (pieces.empty())
    pieces.reserve(std::min(Fingerprint::max_pieces, text.size() / Fingerprint::piece_bytes + 1));
  while (!text.empty() && pieces.size() < Fingerprint::max_pieces) {
    const std::uint32_t begin = pieces.empty() ? 0 : pieces.back().end;
    const auto size = begin < Fingerprint::far ? Fingerprint::piece_bytes : Fingerprint::far_piece_bytes;
    const auto piece = text.substr(0, size);
    pieces.push_back(
        {begin + static_cast<std::uint32_t>(piece.size()), static_cast<std::uint32_t>(hash_of(piece))});
    text.remove_prefix(piece.size());
  }
}

void add_text(Fingerprint::Part& part, std::string_view text) {
  part.hash = combined(part.hash, hash_of(text));
  add_pieces(part.pieces, text);
}

// The second text follows the first.
void join(Fingerprint::Part& part, const Fingerprint::Part& next) {
  part.hash = combined(part.hash, next.hash);
  const auto begin = part.pieces.empty() ? 0 : part.pieces.back().end;
  for (const auto& piece : next.pieces) {
    if (part.pieces.size() < Fingerprint::max_pieces) part.pieces.push_back({begin + piece.end, piece.hash});
  }
}

// Texts one after the other, hashed as one text. Nearly always there is only one.
class Texts {
 public:
  void add(std::string_view text) {
    if (count_ == 1) {
      XXH3_64bits_reset(&state_);
      XXH3_64bits_update(&state_, last_.data(), last_.size());
    }
    if (count_ > 0) XXH3_64bits_update(&state_, text.data(), text.size());
    last_ = text;
    ++count_;
  }
  std::uint64_t hash() const { return count_ > 1 ? XXH3_64bits_digest(&state_) : hash_of(last_); }
  int count() const { return count_; }
  std::string_view last() const { return last_; }

 private:
  XXH3_state_t state_;
  std::string_view last_;
  int count_ = 0;
};

// One message or item, as its members are read.
class MessageHash {
 public:
  explicit MessageHash(Pieces* pieces) : pieces_(pieces) {}

  error_code read(ondemand::value& value) {
    return each_member_of(value, [&](std::string_view key, ondemand::value& member) {
      if (key == "content") return read_content(member, 0);
      if (key == "role") {
        const auto role = token_of(member);
        is_system_ = role == R"("system")" || role == R"("developer")";
        is_user_ = role == R"("user")";
      }
      return is_left_out(key, token_of(member)) ? SUCCESS : add_member(members_, key, member);
    });
  }
  void read_user_text(std::string_view text) {
    members_ += combined(hash_of("role"), hash_of(R"("user")"));
    is_user_ = true;
    add_text(text);
  }

  struct Hashes {
    std::uint64_t exact = 0;
    std::uint64_t identity = 0;  // 0: it does not identify
  };
  Hashes hashes() const {
    Hashes result{.exact = combined(frame(), texts_.hash())};
    if (!identifies()) return result;
    const bool all_own = own_texts_.count() == texts_.count();
    result.identity = all_own ? result.exact : combined(frame(), own_texts_.hash());
    return result;
  }
  // Of all of it but its texts.
  std::uint64_t frame() const { return combined(members_, parts_); }
  bool is_system() const { return is_system_; }
  // The user's words, when they are one text.
  std::string_view only_text() const {
    return is_user_ && own_texts_.count() == 1 ? own_texts_.last() : std::string_view();
  }

 private:
  bool identifies() const { return !is_system_ && (!is_user_ || own_texts_.count() > 0 || parts_ != 0); }

  static constexpr int max_depth = 2;  // content of a tool's result in the content of a message

  // What differs between the same messages of one conversation, and what is understood.
  static bool is_left_out(std::string_view key, std::string_view token) {
    return key == "cache_control" || key == "id" || key == "status" ||
           (key == "type" && token == R"("message")");
  }

  // The order of members doesn't matter: their hashes are summed.
  static error_code add_member(std::uint64_t& sum, std::string_view key, ondemand::value& member) {
    std::string_view raw;
    if (auto error = read_raw(member, raw)) return error;
    if (raw != "null") sum += combined(hash_of(key), hash_of(raw));
    return SUCCESS;
  }

  error_code read_content(ondemand::value& value, int depth) {
    if (const auto text = inside_of_string(token_of(value))) {
      add_text(*text);
      return SUCCESS;
    }
    return each_element_of(value, [&](ondemand::value& part) { return read_part(part, depth); });
  }

  error_code read_part(ondemand::value& value, int depth) {
    if (const auto text = inside_of_string(token_of(value))) {
      add_text(*text);
      return SUCCESS;
    }
    std::uint64_t members = 0;
    std::optional<std::string_view> text;
    bool is_text = false;
    const auto error = each_member_of(value, [&](std::string_view key, ondemand::value& member) {
      const auto token = token_of(member);
      if (key == "text") text = inside_of_string(token);
      if (key == "type") {
        is_text = token == R"("text")" || token == R"("input_text")" || token == R"("output_text")";
      }
      if (key == "cache_control") return SUCCESS;
      if (key == "content" && depth + 1 < max_depth) return read_content(member, depth + 1);
      return add_member(members, key, member);
    });
    if (is_text && text) {
      add_text(*text);
    } else {
      parts_ = combined(parts_, members);
    }
    return error;
  }

  void add_text(std::string_view text) {
    texts_.add(text);
    if (!is_reminder(text)) own_texts_.add(text);
    if (pieces_) add_pieces(*pieces_, text);
  }

  Pieces* pieces_;
  std::uint64_t members_ = 0;  // but the content
  std::uint64_t parts_ = 0;    // of the content that are no texts
  Texts texts_;
  Texts own_texts_;  // without reminders
  bool is_system_ = false;
  bool is_user_ = false;
};

}  // namespace

void FingerprintReader::start_system() { print_.system = {}; }

void FingerprintReader::add_system(std::string_view text) { add_text(print_.system, text); }

error_code FingerprintReader::read_tools(ondemand::value& value) {
  print_.tools = {};
  elements_ = 0;
  return each_element_of(value, [&](ondemand::value& tool) {
    std::string_view raw;
    if (auto error = read_raw(tool, raw)) return error;
    ++elements_;
    add_text(print_.tools, raw);
    return SUCCESS;
  });
}

void FingerprintReader::start_messages() {
  print_.messages.clear();
  leading_system_ = {};
  elements_ = 0;
  last_ = {};
}

error_code FingerprintReader::read_messages(ondemand::value& value) {
  start_messages();
  print_.messages.reserve(typical_messages);
  if (const auto text = inside_of_string(token_of(value))) {
    if (!text->empty()) add_user_text(*text);
    return SUCCESS;
  }
  return each_element_of(value, [&](ondemand::value& message) {
    ++elements_;
    return print_.messages.size() < Fingerprint::max_messages ? add_message(message) : SUCCESS;
  });
}

error_code FingerprintReader::add_message(ondemand::value& value) {
  Pieces pieces;
  const bool at_head = print_.messages.size() < Fingerprint::messages_in_pieces;
  MessageHash message(at_head ? &pieces : nullptr);
  if (auto error = message.read(value)) return error;
  const auto hashes = message.hashes();
  if (message.is_system() && print_.identity() == 0) join(leading_system_, {hashes.exact, pieces});
  last_ = {print_.identity(), message.frame(), message.only_text()};
  append(hashes.exact, hashes.identity);
  print_.messages.back().pieces = std::move(pieces);
  return SUCCESS;
}

void FingerprintReader::add_user_text(std::string_view text) {
  MessageHash message(nullptr);
  message.read_user_text(text);
  last_ = {0, message.frame(), message.only_text()};
  const auto hashes = message.hashes();
  append(hashes.exact, hashes.identity);
}

// `identity` 0: the message adds nothing to it.
void FingerprintReader::append(std::uint64_t exact, std::uint64_t identity) {
  const auto before = print_.messages.empty() ? Fingerprint::Message{} : print_.messages.back();
  print_.messages.push_back({.exact = combined(before.exact, exact),
                             .identity = identity ? combined(before.identity, identity) : before.identity,
                             .pieces = {}});
}

error_code FingerprintReader::read_prompt(ondemand::value& value) {
  start_messages();
  std::string_view prompt;
  if (auto error = read_raw(value, prompt)) return error;
  if (!prompt.starts_with('"') && !prompt.starts_with('[')) return SUCCESS;
  prompt = prompt.substr(1, prompt.size() - 2);
  if (prompt.find_first_not_of(" \t\r\n") == std::string_view::npos) return SUCCESS;
  for (std::size_t begin = 0; print_.messages.size() < Fingerprint::max_messages;) {
    const auto piece = prompt.substr(begin, prompt_piece(begin));
    if (piece.size() < prompt_piece(begin) && begin > 0) break;
    const auto hash = hash_of(piece);
    append(hash, hash);
    begin += piece.size();
    if (begin == prompt.size()) break;
  }
  return SUCCESS;
}

void FingerprintReader::find_tails() {
  constexpr std::string_view paragraph = R"(\n\n)";
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  std::size_t begin = 0;
  std::size_t from = 1;  // no message is empty
  while (print_.tails.size() < Fingerprint::max_tails) {
    const auto cut = last_.text.find(paragraph, from);
    if (cut == std::string_view::npos) break;
    XXH3_64bits_update(&state, last_.text.data() + begin, cut - begin);
    begin = cut;
    from = cut + paragraph.size();
    print_.tails.push_back(combined(last_.before, combined(last_.frame, XXH3_64bits_digest(&state))));
  }
}

Fingerprint FingerprintReader::result() && {
  find_tails();
  if (leading_system_.hash) join(print_.system, leading_system_);
  return std::move(print_);
}

}  // namespace lmw::wire
