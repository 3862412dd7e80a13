// Random traffic with aborts and hangs at a cache that is too small for it. The seed of a failure is printed;
// run it alone with LMW_SEED=<seed>.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "base/seeds.hpp"
#include "replica/engine.hpp"
#include "replica/testing.hpp"

namespace lmw::replica {
namespace {

using testing::conversation;
using testing::kBlock;

// Draws an engine and its traffic from a seed, and follows every request.
class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed), engine_(draw_options(seed)) {}

  void run(int actions) {
    for (int i = 0; i < actions; ++i) act();
    for (int replica = 0; replica < engine_.replicas(); ++replica) engine_.hang(replica, false, now_);
    while (const auto due = engine_.next_due()) {
      now_ = std::max(now_, *due);
      take_events();
    }
  }

  void expect_all_accounted_for() const {
    ReplicaStats sum;
    for (int replica = 0; replica < engine_.replicas(); ++replica) {
      const ReplicaStats stats = engine_.stats(replica);
      EXPECT_EQ(stats.running, 0);
      EXPECT_EQ(stats.waiting, 0);
      EXPECT_EQ(stats.kv_used, 0);
      sum.finished += stats.finished;
    }
    std::int64_t finished = 0;
    std::int64_t aborted = 0;
    for (const auto& [id, turn] : turns_) {
      EXPECT_NE(turn.finished, turn.aborted) << "lost request " << id;
      finished += turn.finished;
      aborted += turn.aborted;
    }
    // Some were aborted when they had finished already and nobody had seen it.
    EXPECT_GE(sum.finished, finished);
    EXPECT_LE(sum.finished, finished + aborted);
  }

  std::int64_t preemptions() const {
    std::int64_t sum = 0;
    for (int replica = 0; replica < engine_.replicas(); ++replica) sum += engine_.stats(replica).preemptions;
    return sum;
  }

  const std::vector<Event>& events() const { return events_; }

 private:
  struct Turn {
    int replica = 0;
    int prompt_tokens = 0;
    int output_tokens = 0;
    int generated = 0;
    bool finished = false;
    bool aborted = false;
  };

  EngineOptions draw_options(std::uint64_t seed) {
    EngineOptions made{.profile = testing::tiny_profile(), .replicas = draw(1, 4), .seed = seed};
    made.profile.kv_tokens = draw(16, 48) * kBlock;
    made.profile.max_num_seqs = draw(1, 12);
    made.profile.max_num_batched_tokens = draw(12, 64);
    made.profile.slow = {1, 0.75, 1.5};
    if (draw(0, 2) == 0) {
      made.profile.host_kv_tokens = draw(1, 64) * kBlock;
      made.profile.host_load = 0.01 * draw(1, 40);
    }
    made.balancer = static_cast<Balancer>(draw(0, 2));
    made.api_servers = draw(1, 3);
    return made;
  }

  int draw(int low, int high) { return static_cast<int>(random_.between(low, high)); }

  void act() {
    now_ += from_seconds(random_.exponential(0.8));
    const int dice = draw(0, 99);
    if (dice < 50) return submit();
    if (dice < 65) return abort();
    if (dice < 70) return engine_.hang(draw(0, engine_.replicas() - 1), dice < 67, now_);
    take_events();
  }

  // Turns of a few conversations over one shared head, so that blocks are shared, reused and evicted.
  void submit() {
    const auto capacity = engine_.profile().kv_tokens / kBlock * kBlock;
    auto tokens = conversation(0, static_cast<std::size_t>(draw(1, 12)));
    const auto own =
        conversation(static_cast<std::uint32_t>(draw(1, 6)), static_cast<std::size_t>(draw(1, 28)));
    if (draw(0, 1) == 1) tokens = conversation(0, 12);
    tokens.insert(tokens.end(), own.begin(), own.end());
    const int prompt = static_cast<int>(tokens.size());
    const int output = draw(1, static_cast<int>(std::min<std::int64_t>(capacity - prompt, 24)));
    const RequestId id = next_id_++;
    std::optional<int> rank;
    if (draw(0, 2) == 0) rank = draw(0, engine_.replicas() - 1);
    const int replica = engine_.submit(testing::request(id, std::move(tokens), output), rank, now_);
    EXPECT_EQ(replica, rank.value_or(replica));
    turns_[id] = {.replica = replica, .prompt_tokens = prompt, .output_tokens = output};
  }

  void abort() {
    if (next_id_ == 0) return;
    const auto id = static_cast<RequestId>(draw(0, static_cast<int>(next_id_) - 1));
    engine_.abort(id, now_);
    if (!turns_[id].finished) turns_[id].aborted = true;
  }

  void take_events() {
    for (const Event& event : engine_.advance(now_)) {
      check(event);
      events_.push_back(event);
    }
  }

  void check(const Event& event) {
    Turn& turn = turns_[event.id];
    EXPECT_LE(last_, event.at);
    EXPECT_LE(event.at, now_);
    last_ = event.at;
    EXPECT_FALSE(turn.aborted) << "event of aborted request " << event.id;
    EXPECT_FALSE(turn.finished) << "event after the end of request " << event.id;
    EXPECT_EQ(event.replica, turn.replica);
    EXPECT_LT(event.cached_tokens, turn.prompt_tokens);
    EXPECT_EQ(event.cached_tokens % kBlock, 0);
    if (event.kind == Event::Kind::token) {
      EXPECT_EQ(event.generated, ++turn.generated);
    } else {
      EXPECT_EQ(event.generated, turn.output_tokens);
      turn.finished = true;
    }
  }

  Random random_;
  Engine engine_;
  Instant now_{};
  Instant last_{};
  RequestId next_id_ = 0;
  std::map<RequestId, Turn> turns_;
  std::vector<Event> events_;
};

constexpr int kActions = 300;

TEST(EngineInvariants, HoldForRandomTraffic) {
  const auto [first, last] = seeds_or(300);
  std::int64_t preemptions = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("LMW_SEED=" + std::to_string(seed));
    World world(seed);
    world.run(kActions);
    world.expect_all_accounted_for();
    preemptions += world.preemptions();
    if (HasFailure()) break;
  }
  EXPECT_GT(preemptions, 0);  // else the traffic tests nothing of interest
}

TEST(EngineInvariants, AreTheSameEventsForTheSameSeed) {
  const auto run = [](std::uint64_t seed) {
    World world(seed);
    world.run(kActions);
    std::vector<std::pair<RequestId, Duration>> seen;
    for (const Event& event : world.events()) seen.emplace_back(event.id, event.at.time_since_epoch());
    return seen;
  };
  EXPECT_FALSE(run(7).empty());
  EXPECT_EQ(run(7), run(7));
  EXPECT_NE(run(7), run(8));
}

}  // namespace
}  // namespace lmw::replica
