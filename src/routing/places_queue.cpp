// The queue: a session's turns are served in order of arrival; those beyond its first few under way let other
// sessions' pass, so that one with many sub-agents does not hold up the others (start-time fair queueing).
#include <algorithm>

#include "routing/places.hpp"

namespace lmw::routing {

namespace {

constexpr std::uint64_t session_turns = 8;

}  // namespace

void Places::enqueue(TurnId turn, const PlaceRequest& request, Conv& c, Instant now) {
  auto& session = sessions_[request.group];
  ++session.turns;
  session.next = std::max(session.next, served_) + 1;
  const auto tag = std::max(served_, session.next > session_turns ? session.next - session_turns : 0);
  const auto added = queue_.emplace(turn, Waiter{turn, request, &c, now, tag}).first;
  const auto* waiter = &added->second;
  order_.insert(std::ranges::upper_bound(order_, by_tag(waiter), {}, by_tag), waiter);
  ++c.queued;
  holders_queued_ += c.place;
}

void Places::dequeue(TurnId turn) {
  const auto waiter = queue_.find(turn);
  auto& c = *waiter->second.conv;
  --c.queued;
  holders_queued_ -= c.place;
  const auto at = std::ranges::lower_bound(order_, by_tag(&waiter->second), {}, by_tag);
  if (search_ && search_->at && at - order_.begin() < static_cast<std::ptrdiff_t>(*search_->at))
    --*search_->at;
  order_.erase(at);
  queue_.erase(waiter);
}

void Places::done(GroupKey group) {
  const auto session = sessions_.find(group);
  if (--session->second.turns == 0) sessions_.erase(session);
}

}  // namespace lmw::routing
