#include "routing/conversation_table.hpp"

#include <utility>

namespace lmw::routing {

ConversationTable::Counts& ConversationTable::count(ReplicaId id) {
  if (id.value() >= counts_.size()) counts_.resize(id.value() + 1);
  return counts_[id.value()];
}

ConversationTable::Counts ConversationTable::count(ReplicaId id) const {
  return id.value() < counts_.size() ? counts_[id.value()] : Counts{};
}

void ConversationTable::advance(Instant now) {
  while (!recent_.empty() && now - recent_.back().last_active >= recent_window) {
    auto& last = recent_.back();
    last.recent = false;
    --count(last.home).recent;
    older_.splice(older_.begin(), recent_, last.at);
  }
  while (!older_.empty() && now - older_.back().last_active >= limits_.idle) erase(older_, older_.back());
}

Conversation* ConversationTable::find(ConversationKey key) {
  const auto found = index_.find(key);
  return found == index_.end() ? nullptr : found->second;
}

const Conversation* ConversationTable::find(ConversationKey key) const {
  const auto found = index_.find(key);
  return found == index_.end() ? nullptr : found->second;
}

Conversation& ConversationTable::insert(Conversation conversation, Instant now) {
  advance(now);
  if (index_.size() >= limits_.conversations && !index_.empty()) {
    List& list = older_.empty() ? recent_ : older_;
    erase(list, list.back());
  }
  conversation.first_seen = conversation.last_active = now;
  auto& added = recent_.emplace_front(std::move(conversation));
  added.at = recent_.begin();
  index_.insert_or_assign(added.key.conversation, &added);
  ++count(added.home).all;
  ++count(added.home).recent;
  return added;
}

void ConversationTable::touch(Conversation& conversation, Instant now) {
  auto& entry = entry_of(conversation);
  entry.last_active = now;
  if (!entry.recent) ++count(entry.home).recent;
  recent_.splice(recent_.begin(), std::exchange(entry.recent, true) ? recent_ : older_, entry.at);
}

void ConversationTable::move_home(Conversation& conversation, ReplicaId home) {
  --count(conversation.home).all;
  ++count(home).all;
  if (is_recent(conversation)) {
    --count(conversation.home).recent;
    ++count(home).recent;
  }
  conversation.home = home;
}

bool ConversationTable::is_recent(const Conversation& conversation) const {
  return static_cast<const Entry&>(conversation).recent;
}

void ConversationTable::forget_home(ReplicaId home) {
  for (List* list : {&recent_, &older_}) {
    for (auto entry = list->begin(); entry != list->end();) {
      const auto next = std::next(entry);
      if (entry->home == home) erase(*list, *entry);
      entry = next;
    }
  }
}

void ConversationTable::erase(List& list, Entry& entry) {
  auto& counts = count(entry.home);
  --counts.all;
  if (entry.recent) --counts.recent;
  index_.erase(entry.key.conversation);
  list.erase(entry.at);
}

void ConversationTable::for_each(const std::function<bool(const Conversation&)>& visit) const {
  for (const List* list : {&recent_, &older_}) {
    for (const auto& entry : *list) {
      if (!visit(entry)) return;
    }
  }
}

}  // namespace lmw::routing
