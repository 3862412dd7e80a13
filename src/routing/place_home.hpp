// What admission knows of one conversation, and of one replica with the conversations that live there.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>

#include "base/time.hpp"
#include "routing/ids.hpp"

namespace lmw::routing {

struct PlaceConversation {
  using List = std::list<PlaceConversation*>;

  ConversationKey key;
  std::uint64_t head = 0;
  std::optional<ReplicaId> home;
  List::iterator at;  // in the list of its home
  bool place = false;
  int in_flight = 0;
  int queued = 0;        // turns that wait
  double context = 0;    // tokens after its last turn
  double prompt = 0;     // of the last turn sent, estimated
  double takes = 0;      // tokens that its place counts with
  List::iterator pause;  // in the list of those that hold a place and have no turn under way
  double kept = 0;       // tokens still cached at home, as of the last look
  Instant since{};       // it holds its place
  Instant used{};        // last sent or ended
};

struct PlaceHome {
  double rate = 3'200;             // prefill tokens/s, learnt
  double capacity = 131'072;       // learnt, where the engine does not tell it
  Instant cut{};                   // of that
  PlaceConversation::List recent;  // homed here, the last used first
  std::size_t looked_at = 0;       // how many these were when they were last looked through
  bool changed = true;             // since then
  // Sums over the conversations that hold a place here.
  int places = 0;
  int running = 0;    // of these, with a turn under way
  double taken = 0;   // tokens beside the prefixes that they share
  double shared = 0;  // tokens of these prefixes, each once
  std::unordered_map<std::uint64_t, int> heads;
};

}  // namespace lmw::routing
