#include "bench/experiment.hpp"

#include <algorithm>
#include <numeric>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

namespace lmw::bench {

namespace {

constexpr auto glance = std::chrono::milliseconds(100);         // of the wall clock: progress and stop
constexpr auto poll_interval = std::chrono::milliseconds(500);  // of engine time
constexpr auto longest_wind_down = std::chrono::seconds(30);

}  // namespace

std::vector<Run> order_of(std::size_t arms, int repeats, Order order, std::uint64_t seed) {
  std::vector<Run> runs;
  std::vector<std::size_t> round(arms);
  Random random(mix64(seed));
  for (int repeat = 0; repeat < repeats; ++repeat) {
    std::iota(round.begin(), round.end(), std::size_t{0});
    if (order == Order::abba && repeat % 2 == 1) std::ranges::reverse(round);
    if (order == Order::shuffle) {
      for (std::size_t i = arms; i > 1; --i)
        std::swap(round[i - 1], round[static_cast<std::size_t>(random.between(0, static_cast<int>(i) - 1))]);
    }
    for (const auto arm : round) runs.push_back({arm, repeat});
  }
  return runs;
}

Experiment::Experiment(net::asio::io_context& context, ExperimentOptions options, Gateway* gateway,
                       const EngineClock& clock)
    : context_(context),
      options_(std::move(options)),
      gateway_(gateway),
      clock_(clock),
      watch_(context, options_.engines, poll_interval, clock),
      order_(order_of(options_.arms.size(), options_.repeats, options_.order, options_.seed)),
      runs_(options_.arms.size()),
      timer_(context) {}

net::awaitable<Result<void>> Experiment::run(std::function<void(const Progress&)> progress,
                                             std::function<void()> step_done) {
  progress_ = std::move(progress);
  step_done_ = std::move(step_done);
  if (gateway_) {
    if (const auto remembered = co_await gateway_->remember(); !remembered)
      co_return std::unexpected(remembered.error());
  }
  watch_.start();
  auto result = co_await run_all();
  co_await end_agents();
  watch_.stop();
  while (!watch_.ended()) co_await sleep(std::chrono::milliseconds(1));
  if (gateway_) {
    const auto restored = co_await gateway_->restore();
    if (result && !restored) result = std::unexpected(restored.error());
  }
  co_return result;
}

void Experiment::stop() {
  stopping_ = true;
  timer_.cancel();
}

net::awaitable<Result<void>> Experiment::run_all() {
  for (current_ = 0; current_ < order_.size() && !stopping_; ++current_) {
    const auto run = order_[current_];
    if (gateway_) {
      if (const auto applied = co_await gateway_->apply(*options_.arms[run.arm]); !applied)
        co_return std::unexpected(applied.error());
    }
    runs_[run.arm].emplace_back();
    co_await run_steps(run);
    co_await end_agents();
    if (current_ + 1 < order_.size()) co_await rest();
  }
  co_return Result<void>();
}

net::awaitable<void> Experiment::run_steps(Run run) {
  const auto& workload = options_.workload;
  for (std::size_t i = 0; i < workload.sessions.size() && !stopping_; ++i) {
    const bool fresh = workload.begins_anew(i);
    if (fresh) {
      co_await end_agents();
      start_agents(run, i);
    }
    agents_->begin(workload.load(workload.sessions[i]));
    if (fresh && !stopping_) co_await sleep(clock_.wall(workload.warm));
    if (!stopping_) co_await run_step(run, i);
  }
}

void Experiment::start_agents(Run run, std::size_t step) {
  const auto seed = options_.seed + static_cast<std::uint64_t>(run.repeat);
  source_ = options_.recorded
                ? workload::recorded_sessions(*options_.recorded)
                : workload::synthetic_sessions(options_.workload.shape, options_.block_size, seed);
  agents_ = std::make_unique<Agents>(
      context_,
      AgentsOptions{.target = options_.target,
                    .dialect = options_.dialect,
                    .seed = seed,
                    .block_size = options_.block_size,
                    .tokens_per_word = options_.tokens_per_word,
                    .salt = fmt::format("{}/{}/{}/{}", options_.salt, run.arm, run.repeat, step)},
      *source_, clock_);
}

net::awaitable<void> Experiment::run_step(Run run, std::size_t number) {
  const int sessions = options_.workload.sessions[number];
  const auto before = co_await count();
  const auto window = co_await measure(run, number, before.engines);
  if (!agents_->last_failure().empty()) last_failure_ = agents_->last_failure();
  if (stopping_) co_return;
  const auto after = co_await count();
  auto step = report::summarize(agents_->turns(), window);
  step.sessions = sessions;
  report::add_engine(step, before.engines, after.engines);
  if (before.gateway && after.gateway) {
    const auto& arm = *options_.arms[run.arm];
    const double sticky = after.gateway->sticky - before.gateway->sticky;
    const double spilled = after.gateway->spilled - before.gateway->spilled;
    const double later = sticky + spilled + after.gateway->rehomed - before.gateway->rehomed;
    if (!step.stayed_pct && arm.affinity != false && later > 0) step.stayed_pct = 100 * sticky / later;
    step.spilled = spilled;
    step.held = after.gateway->held - before.gateway->held;
  } else {
    step.spilled = step.held = std::nullopt;
  }
  runs_[run.arm].back().push_back(step);
  if (run.repeat == 0 && number == options_.timeline_step) {
    timelines_.push_back(
        report::timeline_of(std::string(options_.arms[run.arm]->name), sessions, window, agents_->turns()));
  }
  step_done_();
}

// Shorter when all sessions have ended.
net::awaitable<report::Window> Experiment::measure(Run run, std::size_t number,
                                                   const report::EngineSums& before) {
  const auto span = options_.workload.step;
  report::Window window{clock_.now(), clock_.now()};
  while (!stopping_ && !agents_->is_idle()) {
    window.to = std::min(clock_.now(), window.from + span);
    auto progress = progress_at(run, number, window.to - window.from);
    progress.step = report::summarize(agents_->turns(), window);
    progress.step.sessions = options_.workload.sessions[number];
    report::add_engine(progress.step, before, watch_.sums());
    progress_(progress);
    if (window.to == window.from + span) break;
    co_await sleep(
        std::min<std::chrono::nanoseconds>(glance, clock_.wall(window.from + span - clock_.now())));
  }
  co_return window;
}

Progress Experiment::progress_at(Run run, std::size_t number, Duration into_step) const {
  const auto& workload = options_.workload;
  const auto runs = static_cast<std::int64_t>(order_.size()), current = static_cast<std::int64_t>(current_);
  const auto one_run = workload.planned(workload.sessions.size());
  const auto all = runs * one_run + (runs - 1) * options_.rest;
  const auto warmed_up = workload.begins_anew(number) ? workload.warm : Duration{};
  const auto passed = current * (one_run + options_.rest) + workload.planned(number) + warmed_up + into_step;
  return {*options_.arms[run.arm], {}, seconds(passed) / seconds(all), all - passed};
}

net::awaitable<Experiment::Counted> Experiment::count() {
  Counted counted{.engines = co_await watch_.read(), .gateway = {}};
  if (gateway_) {
    if (const auto counts = co_await gateway_->counts()) counted.gateway = *counts;
  }
  co_return counted;
}

net::awaitable<void> Experiment::end_agents() {
  if (!agents_) co_return;
  agents_->stop();
  while (!agents_->ended()) co_await sleep(std::chrono::milliseconds(1));
  agents_.reset();
}

net::awaitable<void> Experiment::rest() {
  if (stopping_) co_return;
  co_await sleep(clock_.wall(options_.rest));
  const auto end = std::chrono::steady_clock::now() + longest_wind_down;
  while (!stopping_ && std::chrono::steady_clock::now() < end) {
    co_await watch_.read();
    if (stopping_ || !watch_.is_busy()) break;
    co_await sleep(glance);
  }
}

net::awaitable<void> Experiment::sleep(std::chrono::nanoseconds wall) {
  timer_.expires_after(wall);
  co_await timer_.async_wait(net::asio::as_tuple(net::asio::use_awaitable));
}

report::Report Experiment::report() const {
  report::Report report;
  for (std::size_t i = 0; i < options_.arms.size(); ++i) {
    const auto& arm = *options_.arms[i];
    auto combined = report::combine(std::string(arm.name), std::string(arm.what), runs_[i]);
    if (!combined.steps.empty()) report.arms.push_back(std::move(combined));
  }
  report.timelines = timelines_;
  return report;
}

}  // namespace lmw::bench
