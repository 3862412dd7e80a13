#include "admin/history_sampler.hpp"

#include <algorithm>
#include <chrono>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace lmw::admin {

namespace {

static_assert(store::ttfb_buckets == routing::WaitHistogram::bounds.size() + 1);

constexpr auto look_every = std::chrono::seconds(1);

store::Sample counted_by(const routing::PoolCounters& counters) {
  store::Sample sample{.cached = counters.tokens.cached,
                       .computed = counters.tokens.computed,
                       .completion = counters.tokens.completion,
                       .turns = static_cast<std::int64_t>(counters.answered),
                       .unmeasured = static_cast<std::int64_t>(counters.tokens.unmeasured_turns),
                       .failed = static_cast<std::int64_t>(counters.failed)};
  for (const auto& histogram : counters.ttfb) {
    for (std::size_t i = 0; i < store::ttfb_buckets; ++i)
      sample.ttfb[i] += static_cast<std::int64_t>(histogram.buckets()[i]);
  }
  return sample;
}

store::Sample between(const store::Sample& earlier, store::Sample later) {
  later.cached -= earlier.cached;
  later.computed -= earlier.computed;
  later.completion -= earlier.completion;
  later.turns -= earlier.turns;
  later.unmeasured -= earlier.unmeasured;
  later.failed -= earlier.failed;
  for (std::size_t i = 0; i < store::ttfb_buckets; ++i) later.ttfb[i] -= earlier.ttfb[i];
  return later;
}

}  // namespace

void PoolSamples::look(std::int64_t unix_now, Instant now) {
  const auto slot = unix_now - unix_now % store::sample_step;
  const double passed = last_ == Instant{} ? 0 : seconds(now - last_);
  last_ = now;
  seconds_ += passed;
  for (const auto& pool : directory_.pools()) {
    auto& seen = pools_[pool->name];
    seen.in_flight_seconds += passed * pool->router.in_flight();
    seen.in_flight_most = std::max(seen.in_flight_most, pool->router.in_flight());
    const auto held = static_cast<int>(pool->router.held());
    seen.held_seconds += passed * held;
    seen.held_most = std::max(seen.held_most, held);
    if (slot_ != 0 && slot != slot_) close(*pool, seen, slot_, seconds_);
  }
  if (slot != slot_) seconds_ = 0;
  slot_ = slot;
}

void PoolSamples::close(const gateway::Pool& pool, Pool& seen, std::int64_t at, double seconds) {
  const auto counted = counted_by(pool.router.counters());
  auto sample = between(seen.counted, counted);
  sample.at = at;
  sample.seconds = seconds;
  sample.in_flight_seconds = seen.in_flight_seconds;
  sample.in_flight_most = seen.in_flight_most;
  sample.held_seconds = seen.held_seconds;
  sample.held_most = seen.held_most;
  seen = {.counted = counted};
  history_.add(pool.name, sample);
}

void HistorySampler::start() { net::asio::co_spawn(context_, run(), net::asio::detached); }

void HistorySampler::stop() {
  stopped_ = true;
  timer_.cancel();
}

net::awaitable<void> HistorySampler::run() {
  while (!stopped_) {
    const auto unix_now = std::chrono::system_clock::now().time_since_epoch();
    samples_.look(std::chrono::duration_cast<std::chrono::seconds>(unix_now).count(), clock_.now());
    timer_.expires_after(look_every);
    co_await timer_.async_wait(net::asio::as_tuple(net::asio::use_awaitable));
  }
}

}  // namespace lmw::admin
