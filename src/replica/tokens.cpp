#include "replica/tokens.hpp"

#include <algorithm>
#include <array>

namespace lmw::replica {
namespace {

enum class Kind : std::uint8_t { letter, digit, space, line, mark };

constexpr std::size_t longest(Kind kind) {
  constexpr std::array<std::size_t, 5> limits{6, 3, 16, 4, 3};
  return limits[static_cast<std::size_t>(kind)];
}

constexpr Kind kind_of(unsigned char c) {
  if (c >= 128 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return Kind::letter;
  if (c >= '0' && c <= '9') return Kind::digit;
  if (c == ' ') return Kind::space;
  if (c == '\n' || c == '\r' || c == '\t') return Kind::line;
  return Kind::mark;
}

constexpr auto kKinds = [] {
  std::array<Kind, 256> kinds{};
  for (std::size_t c = 0; c < kinds.size(); ++c) kinds[c] = kind_of(static_cast<unsigned char>(c));
  return kinds;
}();

Kind kind_at(std::string_view text, std::size_t i) { return kKinds[static_cast<unsigned char>(text[i])]; }

// Length of the run of one kind at the front of the text, at most `limit`.
std::size_t run(std::string_view text, Kind kind, std::size_t limit) {
  const std::size_t end = std::min(text.size(), limit);
  std::size_t i = 0;
  while (i < end && kind_at(text, i) == kind) ++i;
  return i;
}

// Length of the first token of a text that is not empty.
std::size_t first_token(std::string_view text) {
  const Kind kind = kind_at(text, 0);
  if (kind != Kind::space) return run(text, kind, longest(kind));
  const std::size_t spaces = run(text, Kind::space, longest(Kind::space) + 1);
  if (spaces > longest(Kind::space)) return longest(Kind::space);
  if (spaces == text.size()) return spaces;
  const Kind next = kind_at(text, spaces);
  if (next != Kind::letter && next != Kind::mark) return spaces;
  return spaces > 1 ? spaces - 1 : 1 + run(text.substr(1), next, longest(next));
}

// FNV-1a.
Token token_of(std::string_view piece) {
  Token hash = 2166136261U;
  for (const char c : piece) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

constexpr auto kWords = std::to_array<std::string_view>({
    " about",  " add",    " after",  " agent",  " all",    " also",   " and",    " any",    " api",
    " array",  " async",  " await",  " back",   " base",   " before", " block",  " body",   " branch",
    " break",  " buffer", " bug",    " build",  " but",    " bytes",  " cache",  " call",   " can",
    " case",   " change", " check",  " class",  " clean",  " client", " clock",  " close",  " code",
    " commit", " config", " copy",   " count",  " cursor", " data",   " debug",  " delete", " diff",
    " done",   " each",   " edit",   " else",   " empty",  " end",    " error",  " event",  " fails",
    " false",  " field",  " file",   " first",  " fix",    " flag",   " for",    " from",   " get",
    " given",  " has",    " hash",   " head",   " here",   " if",     " import", " in",     " index",
    " input",  " into",   " is",     " it",     " items",  " join",   " json",   " keep",   " key",
    " last",   " length", " let",    " limit",  " line",   " list",   " lock",   " log",    " loop",
    " main",   " map",    " merge",  " method", " model",  " module", " move",   " name",   " new",
    " next",   " node",   " not",    " now",    " null",   " object", " of",     " on",     " one",
    " open",   " option", " order",  " output", " parse",  " patch",  " path",   " plan",   " point",
    " print",  " queue",  " read",   " record", " reset",  " result", " retry",  " return", " run",
    " same",   " scope",  " search", " server", " set",    " size",   " so",     " socket", " source",
    " start",  " state",  " step",   " stop",   " store",  " stream", " string", " table",  " task",
    " test",   " text",   " that",   " the",    " then",   " this",   " thread", " time",   " to",
    " token",  " tool",   " trace",  " tree",   " true",   " try",    " type",   " update", " use",
    " value",  " wait",   " we",     " when",   " while",  " with",   " write",  " zero",
});

}  // namespace

void append_tokens(std::string_view text, std::vector<Token>& out) {
  while (!text.empty()) {
    const std::size_t length = first_token(text);
    out.push_back(token_of(text.substr(0, length)));
    text.remove_prefix(length);
  }
}

std::size_t count_tokens(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(first_token(text));
  return count;
}

std::string_view random_word(Random& random) {
  return kWords[static_cast<std::size_t>(random.between(0, std::ssize(kWords) - 1))];
}

}  // namespace lmw::replica
