#include "routing/prompt_index.hpp"

#include <algorithm>
#include <ranges>

namespace lmw::routing {

namespace {

constexpr std::size_t max_messages = 1024;
constexpr std::size_t max_places = 16;
constexpr std::size_t max_kept = 4;
constexpr int max_candidates = 32;  // conversations with the very same head that are looked at

std::uint64_t start_of(const Fingerprint& prompt) {
  for (const auto& message : prompt.messages) {
    if (message.identity) return message.identity;
  }
  return 0;
}

// About the first character that differs; nothing when it lies behind the pieces.
std::optional<std::uint32_t> first_difference(const std::vector<Fingerprint::Piece>& before,
                                              const std::vector<Fingerprint::Piece>& now) {
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < std::max(before.size(), now.size()); ++i) {
    const bool differs = i >= before.size() || i >= now.size() || before[i].hash != now[i].hash;
    if (differs) return begin;
    begin = now[i].end;
  }
  return std::nullopt;
}

}  // namespace

const PromptIndex::Trail* PromptIndex::trail(ConversationKey conversation) const {
  const auto found = by_conversation_.find(conversation);
  return found == by_conversation_.end() ? nullptr : &*found->second;
}

std::optional<PromptIndex::Match> PromptIndex::find(const Fingerprint& prompt) const {
  std::uint64_t last = 0;
  for (auto count = prompt.messages.size(); count > 0; --count) {
    const auto identity = prompt.messages[count - 1].identity;
    if (identity == 0 || identity == last) continue;
    last = identity;
    std::optional<Match> best;
    auto [at, end] = places_.equal_range(identity);
    for (int seen = 0; at != end && seen < max_candidates; ++at, ++seen) {
      const auto& other = *trail(at->second.conversation);
      if (other.system.hash != prompt.system.hash && other.tools.hash != prompt.tools.hash) continue;
      const bool whole =
          at->second.tail || other.identity == identity || (other.is_cut_short && count >= other.answered);
      if (!best || (whole && !best->whole)) {
        best = {other.conversation, whole, prompt.messages.size() > other.messages};
      }
    }
    if (best) return best;
  }
  return std::nullopt;
}

std::optional<PromptIndex::Comparison> PromptIndex::compare(ConversationKey conversation,
                                                            const Fingerprint& prompt) const {
  const auto* before = trail(conversation);
  if (!before || prompt.messages.empty()) return std::nullopt;
  Comparison result;
  result.other_start = before->start != start_of(prompt);
  result.replaced = result.other_start || prompt.messages.size() * 2 < before->messages;
  result.broken = find_break(*before, prompt);
  return result;
}

std::optional<PromptBreak> PromptIndex::find_break(const Trail& trail, const Fingerprint& prompt) {
  using Part = PromptBreak::Part;
  if (trail.system.hash != prompt.system.hash) {
    return PromptBreak{Part::system, 0, first_difference(trail.system.pieces, prompt.system.pieces)};
  }
  if (trail.tools.hash != prompt.tools.hash) {
    return PromptBreak{Part::tools, 0, first_difference(trail.tools.pieces, prompt.tools.pieces)};
  }
  const auto common = std::min(trail.exact.size(), prompt.messages.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (trail.exact[i] == prompt.messages[i].exact) continue;
    PromptBreak result{Part::message, static_cast<std::uint32_t>(i), {}};
    if (i < Fingerprint::messages_in_pieces) {
      result.character = first_difference(trail.pieces[i], prompt.messages[i].pieces);
    }
    return result;
  }
  return std::nullopt;
}

void PromptIndex::take_out(std::vector<Places::iterator>& places) {
  for (const auto place : places) places_.erase(place);
  places.clear();
}

void PromptIndex::forget(Trails::iterator trail) {
  take_out(trail->places);
  take_out(trail->tails);
  by_conversation_.erase(trail->conversation);
  trails_.erase(trail);
}

PromptIndex::Trail& PromptIndex::trail_for(ConversationKey conversation) {
  if (const auto found = by_conversation_.find(conversation); found != by_conversation_.end()) {
    trails_.splice(trails_.begin(), trails_, found->second);
  } else {
    if (trails_.size() >= limit_ && !trails_.empty()) forget(std::prev(trails_.end()));
    trails_.push_front({.conversation = conversation});
    by_conversation_.emplace(conversation, trails_.begin());
  }
  return trails_.front();
}

void PromptIndex::record(ConversationKey conversation, const Fingerprint& prompt) {
  if (limit_ == 0 || prompt.messages.empty()) return;
  auto& trail = trail_for(conversation);
  const auto start = start_of(prompt);
  const bool goes_on = trail.start == start && trail.messages > 0 && prompt.messages.size() >= trail.messages;
  // A first prompt is found by its end alone: what stands before it may be shared by many conversations.
  const auto from = goes_on ? trail.messages : prompt.messages.size();
  if (!goes_on) take_out(trail.places);
  take_out(trail.tails);

  if (!goes_on || !trail.is_cut_short) trail.answered = goes_on ? trail.messages : 0;
  trail.is_cut_short = false;
  trail.system = prompt.system;
  trail.tools = prompt.tools;
  trail.messages = prompt.messages.size();
  trail.start = start;
  trail.identity = prompt.identity();
  trail.exact.clear();
  for (const auto& message : prompt.messages | std::views::take(max_messages)) {
    trail.exact.push_back(message.exact);
  }
  for (std::size_t i = 0; i < trail.pieces.size(); ++i) {
    trail.pieces[i] =
        i < prompt.messages.size() ? prompt.messages[i].pieces : std::vector<Fingerprint::Piece>();
  }
  place(trail, prompt, from);
}

void PromptIndex::cut_short(ConversationKey conversation) {
  const auto found = by_conversation_.find(conversation);
  if (found != by_conversation_.end()) found->second->is_cut_short = true;
}

// Makes the heads of a prompt that end with message `from` (counted from 1) or later findable, of the latest
// ones as many as there is room for.
void PromptIndex::place(Trail& trail, const Fingerprint& prompt, std::size_t from) {
  const auto count = prompt.messages.size();
  from = std::max(from, count > max_places ? count - max_places + 1 : 1);
  std::uint64_t last = trail.places.empty() ? 0 : trail.places.back()->first;
  for (std::size_t i = from; i <= count; ++i) {
    const auto identity = prompt.messages[i - 1].identity;
    if (identity == 0 || identity == last) continue;
    last = identity;
    trail.places.push_back(places_.emplace(identity, Place{trail.conversation, false}));
  }
  while (trail.places.size() > max_places) {
    places_.erase(trail.places.front());
    trail.places.erase(trail.places.begin());
  }
  for (const auto tail : prompt.tails) {
    trail.tails.push_back(places_.emplace(tail, Place{trail.conversation, true}));
  }
}

void PromptIndex::keep(ConversationKey conversation, std::int64_t context, const std::optional<Kept>& kept) {
  const auto found = by_conversation_.find(conversation);
  if (found == by_conversation_.end()) return;
  auto& trail = *found->second;
  trail.context = context;
  if (!kept) return;
  std::erase_if(trail.kept, [&](const Kept& old) { return old.replica == kept->replica; });
  if (trail.kept.size() >= max_kept) trail.kept.erase(trail.kept.begin());
  trail.kept.push_back(*kept);
}

std::span<const Kept> PromptIndex::kept(ConversationKey conversation) const {
  const auto* found = trail(conversation);
  return found ? std::span<const Kept>(found->kept) : std::span<const Kept>();
}

std::optional<std::int64_t> PromptIndex::context(ConversationKey conversation) const {
  const auto* found = trail(conversation);
  return found ? found->context : std::nullopt;
}

}  // namespace lmw::routing
