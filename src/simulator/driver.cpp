#include "simulator/driver.hpp"

#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace lmw::simulator {

EngineTurn::EngineTurn(EngineDriver& driver, replica::RequestId first,
                       const std::vector<Generation>& generations)
    : driver_(driver),
      first_(first),
      arrived_(driver.context_, std::chrono::steady_clock::time_point::max()) {
  for (const auto& generation : generations)
    asked_.push_back({static_cast<int>(generation.prompt.size()), generation.reply.finish});
}

EngineTurn::~EngineTurn() {
  for (std::size_t i = 0; i < asked_.size(); ++i) driver_.abort(first_ + i);
}

asio::awaitable<replica::Event> EngineTurn::next() {
  while (events_.empty()) co_await arrived_.async_wait(asio::as_tuple(asio::use_awaitable));
  const auto event = events_.front();
  events_.pop_front();
  co_return event;
}

std::optional<replica::Event> EngineTurn::next_until(Instant time) {
  if (events_.empty() || events_.front().at > time) return std::nullopt;
  const auto event = events_.front();
  events_.pop_front();
  return event;
}

EngineDriver::EngineDriver(asio::io_context& context, replica::EngineOptions options, EngineClock clock)
    : context_(context),
      clock_(clock),
      engine_(std::move(options)),
      tallies_(static_cast<std::size_t>(engine_.replicas())),
      due_(context),
      alive_(std::make_shared<EngineDriver*>(this)) {}

EngineDriver::~EngineDriver() { *alive_ = nullptr; }

std::unique_ptr<EngineTurn> EngineDriver::submit(const std::vector<Generation>& generations,
                                                 std::optional<int> rank) {
  const auto now = advance();
  auto turn = std::make_unique<EngineTurn>(*this, last_id_ + 1, generations);
  turn->submitted_ = now;
  for (const auto& generation : generations) {
    turns_.emplace(++last_id_, turn.get());
    auto tokens = generation.prompt;
    tokens.insert(tokens.end(), generation.reply.tokens.begin(), generation.reply.tokens.end());
    const auto replica =
        engine_.submit({last_id_, static_cast<int>(generation.prompt.size()), generation.reply.size(),
                        replica::block_keys(tokens, engine_.profile().block_size)},
                       rank, now);
    if (last_id_ == turn->first_) turn->replica_ = replica;
  }
  arm();
  return turn;
}

void EngineDriver::hang(int replica, bool hung) {
  engine_.hang(replica, hung, advance());
  arm();
}

void EngineDriver::restart() {
  engine_.restart(advance());
  turns_.clear();
  tallies_.assign(tallies_.size(), Tally());
  arm();
}

void EngineDriver::stop() {
  stopped_ = true;
  due_.cancel();
}

replica::ReplicaStats EngineDriver::stats(int replica) {
  advance();
  arm();
  return engine_.stats(replica);
}

// Runs the steps that are over by now, and returns the instant up to which it did.
Instant EngineDriver::advance() {
  const auto now = clock_.now();
  for (const auto& event : engine_.advance(now)) deliver(event);
  return now;
}

void EngineDriver::deliver(const replica::Event& event) {
  const auto found = turns_.find(event.id);
  if (found == turns_.end()) return;
  auto& turn = *found->second;
  const auto& asked = turn.asked_[static_cast<std::size_t>(turn.choice(event))];
  auto& tally = tallies_[static_cast<std::size_t>(event.replica)];
  if (event.kind == replica::Event::Kind::token && event.generated == 1)
    tally.first_token(asked.prompt_tokens, event.cached_tokens, event.loaded_tokens,
                      event.at - turn.submitted_);
  if (event.kind == replica::Event::Kind::finished)
    ++(asked.finish == Finish::length ? tally.cut_by_length : tally.stopped);
  turn.events_.push_back(event);
  turn.arrived_.cancel();
}

void EngineDriver::arm() {
  const auto due = stopped_ ? std::nullopt : engine_.next_due();
  if (due == armed_) return;
  armed_ = due;
  if (!due) {
    due_.cancel();
    return;
  }
  due_.expires_after(clock_.wall(*due - clock_.now()));
  due_.async_wait([alive = alive_](const boost::system::error_code& error) {
    auto* driver = *alive;
    if (error || !driver || driver->stopped_) return;
    driver->armed_.reset();
    driver->advance();
    driver->arm();
  });
}

void EngineDriver::abort(replica::RequestId id) {
  if (turns_.erase(id) == 0) return;
  engine_.abort(id, advance());
  arm();
}

}  // namespace lmw::simulator
