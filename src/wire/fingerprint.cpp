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

constexpr std::size_t prompt_piece = 2048;

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

// Blocks that clients put beside the user's words: they come and go, and many conversations share them.
bool is_reminder(std::string_view text) {
  return text.starts_with("<system-reminder>") || text.starts_with("<environment_context>");
}

void add_pieces(std::vector<std::uint32_t>& pieces, std::string_view text, std::size_t most) {
  for (std::size_t at = 0; at < text.size() && pieces.size() < most; at += Fingerprint::piece_bytes) {
    pieces.push_back(static_cast<std::uint32_t>(hash_of(text.substr(at, Fingerprint::piece_bytes))));
  }
}

void add_text(Fingerprint::Part& part, std::string_view text) {
  part.hash = combined(part.hash, hash_of(text));
  add_pieces(part.pieces, text, Fingerprint::part_pieces);
}

// The hash of texts one after the other, and of the same without what does not identify. Most have no such
// part: then their bytes are hashed once for both.
class ContentHash {
 public:
  ContentHash() { XXH3_64bits_reset(&exact_); }

  void add(std::string_view bytes, bool identifies) {
    if (!identifies && !std::exchange(differ_, true)) identity_ = exact_;
    XXH3_64bits_update(&exact_, bytes.data(), bytes.size());
    if (differ_ && identifies) XXH3_64bits_update(&identity_, bytes.data(), bytes.size());
  }
  std::uint64_t exact() const { return XXH3_64bits_digest(&exact_); }
  std::uint64_t identity() const { return XXH3_64bits_digest(differ_ ? &identity_ : &exact_); }

 private:
  XXH3_state_t exact_;
  XXH3_state_t identity_;
  bool differ_ = false;
};

// One message or item, as its members are read.
class MessageHash {
 public:
  explicit MessageHash(std::vector<std::uint32_t>* pieces) : pieces_(pieces) {}

  error_code read(ondemand::value& value) {
    return each_member_of(value, [&](std::string_view key, ondemand::value& member) {
      if (key == "content") return read_content(member, 0);
      if (key == "role") {
        const auto role = token_of(member);
        is_system_ = role == R"("system")" || role == R"("developer")";
        is_user_ = role == R"("user")";
      }
      return is_left_out(key, token_of(member)) ? SUCCESS : add_member(frame_, key, member);
    });
  }
  void read_user_text(std::string_view text) {
    frame_ += combined(hash_of("role"), hash_of(R"("user")"));
    is_user_ = true;
    add_text(text);
  }

  std::uint64_t exact() const { return combined(frame_, content_.exact()); }
  std::uint64_t identity() const { return combined(frame_, content_.identity()); }
  std::uint64_t frame() const { return frame_; }
  bool is_system() const { return is_system_; }
  bool identifies() const { return !is_system_ && (has_own_content_ || !is_user_); }
  // The user's words, when they are one text.
  std::string_view only_text() const { return is_user_ && texts_ == 1 ? text_ : std::string_view(); }

 private:
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
      content_.add({reinterpret_cast<const char*>(&members), sizeof members}, true);
      has_own_content_ = true;
      texts_ = 2;
    }
    return error;
  }

  void add_text(std::string_view text) {
    const bool identifies = !is_reminder(text);
    content_.add(text, identifies);
    if (pieces_) add_pieces(*pieces_, text, Fingerprint::message_pieces);
    if (!identifies) return;
    has_own_content_ |= !text.empty();
    text_ = text;
    ++texts_;
  }

  std::vector<std::uint32_t>* pieces_;
  ContentHash content_;
  std::uint64_t frame_ = 0;  // of all members but the content
  bool is_system_ = false;
  bool is_user_ = false;
  bool has_own_content_ = false;
  std::string_view text_;
  int texts_ = 0;
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
  std::vector<std::uint32_t> pieces;
  const bool at_head = print_.messages.size() < Fingerprint::messages_in_pieces;
  MessageHash message(at_head ? &pieces : nullptr);
  if (auto error = message.read(value)) return error;
  if (message.is_system() && print_.identity() == 0) {
    leading_system_.hash = combined(leading_system_.hash, message.exact());
    leading_system_.pieces.insert(leading_system_.pieces.end(), pieces.begin(), pieces.end());
  }
  last_ = {print_.identity(), message.frame(), message.only_text()};
  append(message.exact(), message.identifies() ? message.identity() : 0);
  print_.messages.back().pieces = std::move(pieces);
  return SUCCESS;
}

void FingerprintReader::add_user_text(std::string_view text) {
  MessageHash message(nullptr);
  message.read_user_text(text);
  last_ = {0, message.frame(), message.only_text()};
  append(message.exact(), message.identity());
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
  while (!prompt.empty() && print_.messages.size() < Fingerprint::max_messages) {
    if (prompt.size() < prompt_piece && !print_.messages.empty()) break;
    const auto hash = hash_of(prompt.substr(0, prompt_piece));
    append(hash, hash);
    prompt.remove_prefix(std::min(prompt.size(), prompt_piece));
  }
  return SUCCESS;
}

void FingerprintReader::find_tails() {
  constexpr std::string_view paragraph = R"(\n\n)";
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  std::size_t begin = 0;
  while (print_.tails.size() < Fingerprint::max_tails) {
    const auto cut = last_.text.find(paragraph, begin == 0 ? 0 : begin + paragraph.size());
    if (cut == std::string_view::npos) break;
    XXH3_64bits_update(&state, last_.text.data() + begin, cut - begin);
    begin = cut;
    print_.tails.push_back(combined(last_.before, combined(last_.frame, XXH3_64bits_digest(&state))));
  }
}

Fingerprint FingerprintReader::result() && {
  find_tails();
  if (leading_system_.hash) {
    print_.system.hash = combined(print_.system.hash, leading_system_.hash);
    print_.system.pieces.insert(print_.system.pieces.end(), leading_system_.pieces.begin(),
                                leading_system_.pieces.end());
  }
  return std::move(print_);
}

}  // namespace lmw::wire
