// The hashes of one message or item of a prompt, made while its JSON is read; fingerprint.hpp says what must
// not matter. Internal: include it from .cpp files only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/fingerprint.hpp"
#include "wire/ondemand.hpp"
#include "wire/text_hash.hpp"

namespace lmw::wire {

using simdjson::error_code;
using simdjson::SUCCESS;

// All bytes of a value. Reads it to its end.
inline error_code read_raw(ondemand::value& value, std::string_view& raw) {
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
inline bool is_reminder(std::string_view text) {
  return text.starts_with("<system-reminder>") || text.starts_with("<environment_context>");
}

// The same value as hash_of. Nearly all pieces have one size, which the compiler then knows.
inline std::uint32_t piece_hash(std::string_view piece) {
  const auto hash = piece.size() == Fingerprint::piece_bytes
                        ? XXH3_64bits(piece.data(), Fingerprint::piece_bytes)
                        : hash_of(piece);
  return static_cast<std::uint32_t>(hash);
}

// Texts that are added one after the other are cut as one.
inline void add_pieces(Pieces& pieces, std::string_view text) {
  if (pieces.empty())
    pieces.reserve(std::min(Fingerprint::max_pieces, text.size() / Fingerprint::piece_bytes + 1));
  while (!text.empty() && pieces.size() < Fingerprint::max_pieces) {
    const std::uint32_t begin = pieces.empty() ? 0 : pieces.back().end;
    const auto size = begin < Fingerprint::far ? Fingerprint::piece_bytes : Fingerprint::far_piece_bytes;
    const auto piece = text.substr(0, size);
    pieces.push_back({begin + static_cast<std::uint32_t>(piece.size()), piece_hash(piece)});
    text.remove_prefix(piece.size());
  }
}

inline void add_text(Fingerprint::Part& part, std::string_view text) {
  part.hash = combined(part.hash, hash_of(text));
  add_pieces(part.pieces, text);
}

// The second text follows the first.
inline void join(Fingerprint::Part& part, const Fingerprint::Part& next) {
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
      if (key == "role") return take_role(token_of(member)), SUCCESS;
      return is_left_out(key, token_of(member)) ? SUCCESS : add_member(members_, key, member);
    });
  }
  void read_user_text(std::string_view text) {
    take_role(R"("user")");
    add_text(text);
  }

  struct Hashes {
    std::uint64_t frame = 0;  // of all of it but its texts
    std::uint64_t exact = 0;
    std::uint64_t identity = 0;  // 0: it does not identify
  };
  Hashes hashes() const {
    Hashes result{.frame = combined(members_ + role_, parts_)};
    result.exact = combined(result.frame, texts_.hash());
    if (!identifies()) return result;
    const bool all_own = own_texts_.count() == texts_.count();
    result.identity = all_own ? result.exact : combined(result.frame, own_texts_.hash());
    return result;
  }
  bool is_system() const { return is_system_; }
  bool is_answer() const { return !is_system_ && !is_user_; }
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

  void take_role(std::string_view role) {
    is_system_ = role == R"("system")" || role == R"("developer")";
    is_user_ = role == R"("user")";
    role_ = hash_of(role);
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
      if (key == "cache_control") return SUCCESS;
      if (key == "text") {
        text = inside_of_string(token_of(member));
        if (text) return SUCCESS;
      }
      if (key == "type") {
        const auto type = token_of(member);
        is_text = type == R"("text")" || type == R"("input_text")" || type == R"("output_text")";
      }
      if (key == "content" && depth + 1 < max_depth) return read_content(member, depth + 1);
      return add_member(members, key, member);
    });
    if (is_text && text) {
      add_text(*text);
    } else {
      if (text) members += combined(hash_of("text"), hash_of(*text));
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
  std::uint64_t role_ = 0;
  std::uint64_t members_ = 0;  // but role and content
  std::uint64_t parts_ = 0;    // of the content that are no texts
  Texts texts_;
  Texts own_texts_;  // without reminders
  bool is_system_ = false;
  bool is_user_ = false;
};

}  // namespace lmw::wire
