#include "wire/fingerprint.hpp"

#include <algorithm>
#include <utility>

#include "wire/message_hash.hpp"

namespace lmw::wire {
namespace {

using simdjson::error_code;
using simdjson::SUCCESS;

// Of completions, by where the piece begins.
constexpr std::size_t prompt_piece(std::size_t begin) { return begin < 2048 ? 256 : 2048; }
constexpr std::size_t typical_messages = 256;

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
  print_.has_answers = false;
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
  print_.has_answers |= message.is_answer();
  const auto hashes = message.hashes();
  if (message.is_system() && print_.identity() == 0) join(leading_system_, {hashes.exact, pieces});
  last_ = {print_.identity(), hashes.frame, message.only_text()};
  append(hashes.exact, hashes.identity);
  print_.messages.back().pieces = std::move(pieces);
  return SUCCESS;
}

void FingerprintReader::add_user_text(std::string_view text) {
  MessageHash message(nullptr);
  message.read_user_text(text);
  const auto hashes = message.hashes();
  last_ = {0, hashes.frame, message.only_text()};
  append(hashes.exact, hashes.identity);
}

// `identity` 0: the message adds nothing to it.
void FingerprintReader::append(std::uint64_t exact, std::uint64_t identity) {
  const auto exact_before = print_.messages.empty() ? 0 : print_.messages.back().exact;
  const auto identity_before = print_.identity();
  print_.messages.push_back({.exact = combined(exact_before, exact),
                             .identity = identity ? combined(identity_before, identity) : identity_before,
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
