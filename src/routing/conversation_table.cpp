#include "routing/conversation_table.hpp"

namespace lmw::routing {

ConversationTable::Counts& ConversationTable::count(ReplicaId id) {
  if (id.value() >= counts_.size()) counts_.resize(id.value() + 1);
  return counts_[id.value()];
}

ConversationTable::Counts ConversationTable::count(ReplicaId id) const {
  return id.value() < counts_.size() ? counts_[id.value()] : Counts{};
}

void ConversationTable::advance(Instant now) {
  while (!recent_.empty() && now - recent_.back().conversation.last_active >= recent_window) {
    const auto last = std::prev(recent_.end());
    last->recent = false;
    --count(last->conversation.home).recent;
    older_.splice(older_.begin(), recent_, last);
  }
  while (!older_.empty() && now - older_.back().conversation.last_active >= limits_.idle) {
    erase(older_, std::prev(older_.end()));
  }
}

Conversation* ConversationTable::find(ConversationKey key) {
  const auto found = index_.find(key);
  return found == index_.end() ? nullptr : &found->second->conversation;
}

const Conversation* ConversationTable::find(ConversationKey key) const {
  const auto found = index_.find(key);
  return found == index_.end() ? nullptr : &found->second->conversation;
}

Conversation& ConversationTable::insert(Conversation conversation, Instant now) {
  advance(now);
  if (index_.size() >= limits_.conversations && !index_.empty()) {
    List& list = older_.empty() ? recent_ : older_;
    erase(list, std::prev(list.end()));
  }
  conversation.first_seen = conversation.last_active = now;
  recent_.push_front({std::move(conversation), true});
  auto& added = recent_.front().conversation;
  index_.insert_or_assign(added.key.conversation, recent_.begin());
  ++count(added.home).all;
  ++count(added.home).recent;
  return added;
}

void ConversationTable::touch(Conversation& conversation, Instant now) {
  const auto entry = index_.at(conversation.key.conversation);
  conversation.last_active = now;
  if (!entry->recent) {
    entry->recent = true;
    ++count(conversation.home).recent;
    recent_.splice(recent_.begin(), older_, entry);
  } else {
    recent_.splice(recent_.begin(), recent_, entry);
  }
}

void ConversationTable::move_home(Conversation& conversation, ReplicaId home) {
  const bool recent = index_.at(conversation.key.conversation)->recent;
  --count(conversation.home).all;
  ++count(home).all;
  if (recent) {
    --count(conversation.home).recent;
    ++count(home).recent;
  }
  conversation.home = home;
}

bool ConversationTable::is_recent(const Conversation& conversation) const {
  return index_.at(conversation.key.conversation)->recent;
}

void ConversationTable::forget_home(ReplicaId home) {
  for (List* list : {&recent_, &older_}) {
    for (auto entry = list->begin(); entry != list->end();) {
      const auto next = std::next(entry);
      if (entry->conversation.home == home) erase(*list, entry);
      entry = next;
    }
  }
}

void ConversationTable::erase(List& list, List::iterator entry) {
  auto& counts = count(entry->conversation.home);
  --counts.all;
  if (entry->recent) --counts.recent;
  index_.erase(entry->conversation.key.conversation);
  list.erase(entry);
}

void ConversationTable::for_each(const std::function<bool(const Conversation&)>& visit) const {
  for (const List* list : {&recent_, &older_}) {
    for (const auto& entry : *list) {
      if (!visit(entry.conversation)) return;
    }
  }
}

}  // namespace lmw::routing
