#include "simulator/reply.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "simulator/prompt.hpp"

namespace lmw::simulator {

namespace {

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

std::vector<Part> in_order_of(wire::Endpoint endpoint, const std::vector<Part>& parts) {
  const auto is_call = [](const Part& part) { return part.kind == Part::Kind::tool_call; };
  const auto append = [&](std::vector<Part>& out, const Part& part) {
    if (is_call(part) || !part.text.empty()) out.push_back(part);
  };
  std::vector<Part> ordered;
  if (endpoint == wire::Endpoint::messages) {
    for (const auto& part : parts) append(ordered, part);
  } else {
    Part text;
    for (const auto& part : parts) {
      if (!is_call(part)) text.text += part.text;
    }
    append(ordered, text);
    if (endpoint != wire::Endpoint::completions)
      std::ranges::copy_if(parts, std::back_inserter(ordered), is_call);
  }
  if (ordered.empty()) ordered.push_back(Part{Part::Kind::text, " ", ""});  // a model says at least one token
  return ordered;
}

std::string call_id(wire::Endpoint endpoint, Random& ids) {
  const auto* prefix = endpoint == wire::Endpoint::messages ? "toolu_" : "call_";
  const auto high = ids.next();
  return fmt::format("{}{:016x}{:08x}", prefix, high, ids.next() >> 32);
}

}  // namespace

Length draw_length(std::int64_t limit, bool ignore_eos, Random& random) {
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

Reply scripted_reply(const std::vector<Part>& parts, wire::Endpoint endpoint, Random& ids) {
  Reply reply;
  const auto ordered = in_order_of(endpoint, parts);
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
      made.id = call_id(endpoint, ids);
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
