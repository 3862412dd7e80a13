// The turns under way, for those who look at them and may cancel one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/time.hpp"
#include "gateway/pool.hpp"
#include "gateway/progress.hpp"
#include "net/asio.hpp"

namespace lmw::gateway {

// One turn, for as long as it lives.
class TurnUnderWay {
 public:
  TurnUnderWay(const Pool& turn_pool, const net::asio::any_io_executor& executor)
      : pool(turn_pool), wake_(executor, net::asio::steady_timer::time_point::max()) {}

  const Pool& pool;
  std::string client;  // its name and version
  Instant since{};     // its request had come
  std::optional<routing::ConversationKey> conversation;
  std::optional<routing::TurnId> held;        // waits for room
  std::optional<routing::Decision> decision;  // nothing: not yet
  bool has_content = false;
  std::optional<double> prompt_tokens;  // an estimate; nothing: not routed yet
  Progress progress;

  // Completes when an operator cancels the turn.
  net::awaitable<void> until_cancelled();
  void cancel() {
    cancelled_ = true;
    wake_.cancel();
  }
  bool is_cancelled() const { return cancelled_; }

 private:
  net::asio::steady_timer wake_;
  bool cancelled_ = false;
};

class InFlight {
 public:
  using Number = std::uint64_t;

  // Lists a turn until the end of this object.
  class Listed {
   public:
    Listed(InFlight& list, TurnUnderWay& turn) : list_(list), number_(++list.last_) {
      list_.turns_.emplace(number_, &turn);
    }
    ~Listed() { list_.turns_.erase(number_); }
    Listed(const Listed&) = delete;
    Listed& operator=(const Listed&) = delete;

   private:
    InFlight& list_;
    Number number_;
  };

  // By number, the oldest first.
  const std::map<Number, TurnUnderWay*>& turns() const { return turns_; }
  // Whether there was one.
  bool cancel(Number number);

 private:
  std::map<Number, TurnUnderWay*> turns_;
  Number last_ = 0;
};

}  // namespace lmw::gateway
