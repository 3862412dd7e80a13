#include "simulator/reply.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "simulator/prompt.hpp"

namespace lmw::simulator {

namespace {

constexpr std::int64_t default_max_tokens = 256;
constexpr double full_length_share = 0.85;

// A tokenizer's borders inside a given text are not known here: spreads the bytes evenly, never inside a
// character.
std::vector<std::size_t> even_cuts(std::string_view text, int tokens) {
  std::vector<std::size_t> cuts;
  const auto count = static_cast<std::size_t>(tokens);
  for (std::size_t i = 1; i <= count; ++i) {
    auto at = text.size() * i / count;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
    cuts.push_back(at);
  }
  return cuts;
}

std::vector<Part> in_family_order(const std::vector<Part>& parts, wire::Family family) {
  std::vector<Part> ordered;
  if (family == wire::Family::anthropic) {
    std::ranges::copy_if(parts, std::back_inserter(ordered), [](const Part& part) {
      return part.kind != Part::Kind::text || !part.text.empty();
    });
  } else {
    Part text;
    for (const auto& part : parts) {
      if (part.kind == Part::Kind::text) text.text += part.text;
    }
    if (!text.text.empty()) ordered.push_back(std::move(text));
    std::ranges::copy_if(parts, std::back_inserter(ordered),
                         [](const Part& part) { return part.kind == Part::Kind::tool_call; });
  }
  if (ordered.empty()) ordered.push_back(Part{Part::Kind::text, " ", ""});  // a model says at least one token
  return ordered;
}

std::string call_id(wire::Family family, Random& ids) {
  const auto* prefix = family == wire::Family::anthropic ? "toolu_" : "call_";
  const auto high = ids.next();
  return fmt::format("{}{:016x}{:08x}", prefix, high, ids.next() >> 32);
}

}  // namespace

Length draw_length(std::optional<std::int64_t> max_tokens, bool ignore_eos, Random& random) {
  const auto limit = max_tokens.value_or(default_max_tokens);
  if (ignore_eos || random.unit() < full_length_share) return {static_cast<int>(limit), Finish::length};
  const auto drawn = random.between(80, 256);
  if (drawn >= limit) return {static_cast<int>(limit), Finish::length};
  return {static_cast<int>(drawn), Finish::stop};
}

Reply random_reply(const Length& length, Random& random) {
  Reply reply;
  ReplyPart part;
  for (int i = 0; i < length.tokens; ++i) {
    part.part.text += replica::random_word(random);
    part.cuts.push_back(part.part.text.size());
  }
  replica::append_tokens(part.part.text, reply.tokens);
  part.end = reply.size();
  reply.parts.push_back(std::move(part));
  reply.finish = length.finish;
  return reply;
}

Reply scripted_reply(const std::vector<Part>& parts, wire::Family family, Random& ids) {
  Reply reply;
  const auto ordered = in_family_order(parts, family);
  std::vector<Part> so_far;
  for (const auto& part : ordered) {
    so_far.push_back(part);
    ReplyPart made{part, "", reply.size(), 0, {}};
    // Rendered from the start each time, since neighbouring texts are one text to the template.
    reply.tokens.clear();
    append_parts(so_far, reply.tokens);
    made.end = reply.size();
    if (part.kind == Part::Kind::text) {
      made.cuts = even_cuts(part.text, std::max(0, made.end - made.begin));
    } else {
      made.id = call_id(family, ids);
      reply.finish = Finish::tool_calls;
    }
    reply.parts.push_back(std::move(made));
  }
  return reply;
}

std::optional<Delta> ReplyCursor::next(int generated) {
  if (part_ == reply_.parts.size()) return std::nullopt;
  const auto& part = reply_.parts[part_];
  const bool complete = generated >= part.end;
  std::size_t reach = part.part.text.size();
  if (!complete) {
    if (part.cuts.empty() || generated <= part.begin) return std::nullopt;
    reach = part.cuts[static_cast<std::size_t>(generated - part.begin) - 1];
    if (reach == sent_) return std::nullopt;
  }
  const Delta delta{&part, std::string_view(part.part.text).substr(sent_, reach - sent_), !opened_, complete};
  sent_ = complete ? 0 : reach;
  opened_ = !complete;
  if (complete) ++part_;
  return delta;
}

}  // namespace lmw::simulator
