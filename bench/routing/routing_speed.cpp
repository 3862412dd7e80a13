// What deciding a turn costs, with 8,192 conversations on 64 replicas: while all fit, and with 1,000 turns
// held.
//
// The same turns are decided in five runs, and each counts with the least of its five times: what a turn
// costs is the same in each run, what the host of a virtual machine takes in between is not. The last column
// is of the first run alone, with that in it.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <deque>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/random.hpp"
#include "routing/router.hpp"

namespace {

using namespace lmw;
using namespace std::chrono_literals;

constexpr std::uint32_t replicas = 64;
constexpr std::uint64_t conversations = 8192;
constexpr std::int64_t prompt = 10'000;
constexpr std::int64_t shared = 3'000;  // of these, by all conversations
constexpr std::int64_t answer = 250;
constexpr int runs = 5;

// Of this thread: what else the machine does is left out. Reading it is itself the first row of the table.
double cpu_us() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

class Times {
 public:
  explicit Times(std::string what) : what_(std::move(what)) {}

  void begin_run() { next_ = 0; }

  template <class Run>
  decltype(auto) measure(Run run) {
    struct Stop {
      Times& times;
      double begin;
      ~Stop() { times.add(cpu_us() - begin); }
    } stop{*this, cpu_us()};
    return run();
  }

  void print() {
    std::ranges::sort(least_);
    std::ranges::sort(first_);
    const auto at = [](const std::vector<double>& sorted, double share) {
      return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
    };
    fmt::print("{:<48} {:>8} {:>8.2f} {:>8.2f} {:>8.2f} {:>13.2f}\n", what_, least_.size(), at(least_, 0.5),
               at(least_, 0.99), at(least_, 0.999), at(first_, 0.99));
  }

 private:
  void add(double took) {
    if (next_ == least_.size()) {
      first_.push_back(took);
      least_.push_back(took);
    }
    least_[next_] = std::min(least_[next_], took);
    ++next_;
  }

  std::string what_;
  std::size_t next_ = 0;
  std::vector<double> first_;  // run
  std::vector<double> least_;  // of all runs
};

// A router with one engine whose replicas keep so many tokens each.
class Box {
 public:
  explicit Box(std::int64_t capacity) {
    auto& set = router.replicas();
    const auto endpoint = set.endpoint("http://engine");
    std::vector<std::string> labels;
    for (std::uint32_t i = 0; i < replicas; ++i) labels.push_back(std::to_string(i));
    set.set_ranks(endpoint, labels);
    set[endpoint].up = true;
    for (const auto id : set[endpoint].replicas) set[id].kv_capacity_tokens = capacity;
  }

  routing::TurnFacts turn_of(std::uint64_t conversation) const {
    routing::TurnFacts turn;
    turn.key =
        routing::TurnKey{routing::ConversationKey(mix64(conversation)), routing::GroupKey(conversation), {}};
    turn.has_tools = true;
    turn.bytes = 4 * static_cast<std::uint64_t>(prompt);
    turn.head = 1;
    return turn;
  }
  routing::Ticket route(std::uint64_t conversation) {
    auto ticket = router.route(turn_of(conversation), now).value();
    router.take_admitted();
    return ticket;
  }
  void finish(routing::Ticket& ticket) const {
    const bool is_first = ticket.decision().outcome == routing::Outcome::placed;
    ticket.finish(routing::TurnEnd::answered, {prompt, is_first ? shared : prompt - 200, answer}, now);
  }

  routing::Router router{{.admission = routing::Admission::automatic}, {}};
  Instant now{};
};

void the_clock(Times& nothing) {
  for (int i = 0; i < 100'000; ++i) nothing.measure([] {});
}

void while_all_fit(Times& passes, Times& ends) {
  Box box(2'000'000);
  Random random(1);
  std::deque<routing::Ticket> under_way;
  for (std::uint64_t i = 0; i < 30 * conversations; ++i) {
    box.now += 1ms;
    const bool is_warm = i >= 2 * conversations;
    const auto key =
        is_warm ? static_cast<std::uint64_t>(random.between(0, conversations - 1)) : i % conversations;
    const auto route = [&] { return box.route(key); };
    under_way.push_back(is_warm ? passes.measure(route) : route());
    if (under_way.size() < 200) continue;
    const auto end = [&] { box.finish(under_way.front()); };
    if (is_warm)
      ends.measure(end);
    else
      end();
    under_way.pop_front();
  }
}

// In a closed loop: whoever ends comes again at once, and 1,000 wait.
void with_a_thousand_held(Times& arrives, Times& ends, Times& looks) {
  Box box(45'000);
  std::vector<std::pair<std::uint64_t, routing::Ticket>> held;
  std::deque<std::pair<std::uint64_t, routing::Ticket>> running;
  std::uint64_t next = 0;
  const auto settle = [&] {
    box.router.take_admitted();
    for (std::size_t i = 0; i < held.size();) {
      if (held[i].second.is_held()) {
        ++i;
        continue;
      }
      running.emplace_back(held[i].first, std::move(held[i].second));
      std::vector<std::pair<std::uint64_t, routing::Ticket>> rest;
      for (std::size_t k = 0; k < held.size(); ++k)
        if (k != i) rest.emplace_back(held[k].first, std::move(held[k].second));
      held.swap(rest);
    }
  };
  for (int round = 0; round < 20'000; ++round) {
    box.now += 7ms;
    const bool is_warm = round > 3'000;
    while (held.size() < 1000) {
      const auto key = next++ % conversations;
      const auto come = [&] { return box.route(key); };
      auto ticket = is_warm ? arrives.measure(come) : come();
      if (ticket.is_held())
        held.emplace_back(key, std::move(ticket));
      else
        running.emplace_back(key, std::move(ticket));
    }
    if (round % 10 == 0) {
      const auto look = [&] { box.router.admit(box.now); };
      if (is_warm)
        looks.measure(look);
      else
        look();
      settle();
    }
    if (running.empty()) continue;
    auto [key, ticket] = std::move(running.front());
    running.pop_front();
    ticket.first_content(1s, box.now);
    const auto end = [&] { box.finish(ticket); };
    if (is_warm)
      ends.measure(end);
    else
      end();
    settle();
    // Its next turn, unless it was its last.
    if (round % 5 == 0) continue;
    auto again = box.route(key);
    if (again.is_held())
      held.emplace_back(key, std::move(again));
    else
      running.emplace_back(key, std::move(again));
  }
}

template <class... Each>
void in_runs(void (*run)(Each&...), Each&... times) {
  for (int i = 0; i < runs; ++i) {
    (times.begin_run(), ...);
    run(times...);
  }
  (times.print(), ...);
}

}  // namespace

int main() {
  fmt::print("{} conversations, {} replicas; µs\n{:<48} {:>8} {:>8} {:>8} {:>8} {:>13}\n", conversations,
             replicas, "", "n", "p50", "p99", "p99.9", "one run's p99");
  Times nothing("nothing: the clock itself");
  in_runs(the_clock, nothing);
  Times passes("a turn passes"), ends("… and ends");
  in_runs(while_all_fit, passes, ends);
  Times arrives("1,000 held: one more comes"), leaves("1,000 held: a turn ends, and who may go goes"),
      looks("1,000 held: a look, ten times a second");
  in_runs(with_a_thousand_held, arrives, leaves, looks);
}
