#include <gtest/gtest.h>

#include "box.hpp"
#include "routing/router.hpp"

namespace lmw::simulation {
namespace {

using namespace std::chrono_literals;

replica::EngineOptions seven_cards() {
  return {.profile = *replica::find_profile("rtx5090-27b"), .replicas = 7};
}

// The product's router before the engine.
class Affinity {
 public:
  explicit Affinity(int replicas) {
    const auto endpoint = router_.replicas().endpoint("http://engine");
    std::vector<std::string> labels;
    for (int i = 0; i < replicas; ++i) labels.push_back(std::to_string(i));
    router_.replicas().set_ranks(endpoint, labels);
    router_.replicas()[endpoint].up = true;
  }

  Policy policy() {
    return {.route =
                [this](std::uint64_t session, Instant now) {
                  routing::TurnFacts facts;
                  facts.key =
                      routing::TurnKey{routing::ConversationKey(session), routing::GroupKey(session), {}};
                  auto ticket = router_.route(facts, now).value();
                  const int rank = ticket.decision().rank.value();
                  tickets_.emplace(session, std::move(ticket));
                  return rank;
                },
            .ended =
                [this](std::uint64_t session, int prompt, int cached, int generated, Instant now) {
                  auto ticket = std::move(tickets_.extract(session).mapped());
                  ticket.finish(routing::TurnEnd::answered, {prompt, cached, generated}, now);
                }};
  }
  const routing::Router& router() const { return router_; }

 private:
  routing::Router router_{{}, {}};
  std::map<std::uint64_t, routing::Ticket> tickets_;
};

Policy by_hash(std::function<std::uint64_t(std::uint64_t)> hash, int replicas) {
  return {.route = [hash = std::move(hash), replicas](
                       std::uint64_t session, Instant) { return static_cast<int>(hash(session) % replicas); },
          .ended = [](auto...) {}};
}

TEST(Affinity, KeepsTheCacheWhereHashingLosesItOnAFullBox) {
  // 14 conversations of 58k tokens fit on 7 replicas of 156k, two on each. Hashing puts three and more on
  // some.
  const Load load{.sessions = 14, .think = 5s};
  Affinity ours(7);
  const auto kept = run(seven_cards(), load, 35min, ours.policy());
  const auto hashed = run(seven_cards(), load, 35min, by_hash(mix64, 7));
  EXPECT_GT(kept.hits, hashed.hits + 0.1) << kept.hits << " against " << hashed.hits;
  EXPECT_GT(kept.turns, hashed.turns);
  EXPECT_EQ(ours.router().counters().answered, kept.turns);
}

TEST(Affinity, NoChoiceOfIdsLocksAllConversationsOntoOneReplica) {
  const Load load{.sessions = 14, .think = 5s};
  Affinity ours(7);
  const auto spread = run(seven_cards(), load, 10min, ours.policy());
  EXPECT_EQ(spread.turns_by_replica.size(), 7U);
  const auto locked = run(seven_cards(), load, 10min, by_hash([](auto) { return 0; }, 7));
  EXPECT_EQ(locked.turns_by_replica.size(), 1U);
  EXPECT_GT(spread.turns, 2 * locked.turns);
}

TEST(Affinity, ARunIsTheSameEachTime) {
  const Load load{.sessions = 10};
  Affinity first(7), second(7);
  const auto a = run(seven_cards(), load, 5min, first.policy());
  const auto b = run(seven_cards(), load, 5min, second.policy());
  EXPECT_EQ(a.turns, b.turns);
  EXPECT_EQ(a.hits, b.hits);
  EXPECT_EQ(a.turns_by_replica, b.turns_by_replica);
}

}  // namespace
}  // namespace lmw::simulation
