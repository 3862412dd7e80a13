#include "bench/fit.hpp"

#include <gtest/gtest.h>

namespace lmw::bench {
namespace {

Observation prompt(int tokens, int cached = 0) {
  const int computed = tokens - cached;
  return {.steps = (computed + 2047) / 2048,
          .work = {.prefill_tokens = computed, .attended = 0.5 * computed * (tokens + cached)},
          .tokenized = tokens,
          .network = 2};
}

Observation decoding(int sequences, int context) {
  return {.work = {.decoding = sequences, .kv_tokens_read = 1.0 * sequences * context}};
}

// What the replica model would take.
double predict(const Fit& fit, const Observation& observation) {
  return (observation.steps - 1) * fit.cost.base + replica::step_seconds(fit.cost, observation.work) +
         observation.tokenized * fit.tokenize + observation.network * fit.network;
}

std::vector<Observation> observe(const Fit& truth) {
  std::vector<Observation> all{prompt(30),         prompt(1000),       prompt(4000),    prompt(8000),
                               prompt(4000, 3984), prompt(8000, 7984), decoding(1, 50), decoding(1, 8000),
                               decoding(8, 100),   decoding(1, 4000)};
  for (auto& one : all) one.seconds = predict(truth, one);
  return all;
}

constexpr Fit truth{
    .cost = {.base = 0.0233, .prefill = 1.45e-4, .attn = 2.25e-8, .seq = 3e-4, .kvread = 5.1e-7},
    .tokenize = 1e-5,
    .network = 0.06};

TEST(Fit, FindsTheCostsThatMadeTheTimes) {
  const auto found = fit(observe(truth));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->cost.base, truth.cost.base, 1e-3 * truth.cost.base);
  EXPECT_NEAR(found->cost.prefill, truth.cost.prefill, 1e-3 * truth.cost.prefill);
  EXPECT_NEAR(found->cost.attn, truth.cost.attn, 1e-3 * truth.cost.attn);
  EXPECT_NEAR(found->cost.seq, truth.cost.seq, 1e-2 * truth.cost.seq);
  EXPECT_NEAR(found->cost.kvread, truth.cost.kvread, 1e-3 * truth.cost.kvread);
  EXPECT_NEAR(found->tokenize, truth.tokenize, 1e-3 * truth.tokenize);
  EXPECT_NEAR(found->network, truth.network, 1e-3 * truth.network);
  EXPECT_LT(found->worst_error, 1e-4);
}

TEST(Fit, TakesNoNegativeCosts) {
  auto observations = observe({.cost = {.base = 0.02, .prefill = 1e-4}});
  observations[3].seconds *= 0.8;  // long prompts look cheaper than short ones
  const auto found = fit(observations);
  ASSERT_TRUE(found);
  for (const double cost :
       {found->cost.attn, found->cost.seq, found->cost.kvread, found->tokenize, found->network})
    EXPECT_GE(cost, 0);
  EXPECT_GT(found->worst_error, 0.05);
}

TEST(Fit, NeedsEnoughMeasurements) {
  const auto all = observe(truth);
  EXPECT_FALSE(fit(std::span(all).first(5)));
  EXPECT_FALSE(fit(std::vector<Observation>(8)));
}

}  // namespace
}  // namespace lmw::bench
