#include "lab/workloads.hpp"

#include <algorithm>
#include <array>

namespace lmw::lab {

namespace {

using namespace std::chrono_literals;

Workload published() {
  return {.name = "published",
          .what = "six short turns over a long prompt; clients are added from step to step",
          .profile = *replica::find_profile("a4000-qwen3-4b"),
          .sessions = {4, 8, 16, 24, 32},
          .step = 180s,
          .stagger = 1ms};
}

// An hour on the box of `published`, after ten minutes to fill it.
Workload hour(std::string name, std::string what, std::vector<int> sessions, workload::SessionShape shape) {
  auto made = published();
  made.name = std::move(name);
  made.what = std::move(what);
  made.sessions = std::move(sessions);
  made.step = 3600s;
  made.warm = 600s;
  made.fresh = true;
  made.stagger = 1s;
  made.shape = shape;
  return made;
}

Workload poisson() {
  auto made = hour("poisson", "sessions come at random, 3 to 9 turns with pauses", {0},
                   {.turns_low = 3, .turns_high = 9, .think = {3, 60}});
  made.arrivals = Arrivals::poisson;
  made.sessions_per_hour = 330;
  return made;
}

Workload farm() {
  return {.name = "farm",
          .what = "26 then 16 long agents of about 58k tokens on seven cards, in steps of five minutes",
          .profile = *replica::find_profile("rtx5090-27b"),
          .replicas = 7,
          .sessions = {26, 26, 26, 26, 26, 26, 26, 16, 16, 16},
          .step = 300s,
          .stagger = 1s,
          .shape = {.shared_tokens = 14'000,
                    .first_low = 30'000,
                    .first_high = 44'000,
                    .turns_low = 10,
                    .turns_high = 30,
                    .new_low = 300,
                    .new_high = 1500,
                    .output_max = 400,
                    .output_min = 50,
                    .full_output = 0,
                    .think = {3, 60}}};
}

// The cards of `farm` with so much memory that real agents fit.
replica::Profile roomy_cards() {
  auto made = *replica::find_profile("rtx5090-27b");
  made.kv_tokens = 1'000'000;
  made.max_model_len = 1'000'000;
  return made;
}

Workload weka() {
  return {.name = "weka",
          .what = "real Claude Code sessions with their pauses and sub-agents, from a trace",
          .profile = roomy_cards(),
          .replicas = 7,
          .sessions = {48},
          .step = 3600s,
          .warm = 1200s,
          .fresh = true,
          .stagger = 10s,
          .needs_trace = true};
}

Workload weka_mini() {
  auto made = weka();
  made.name = "weka-mini";
  made.what = "a few of them, to the end";
  made.replicas = 4;
  made.sessions = {9};
  made.step = 24h;
  made.warm = {};
  return made;
}

Workload mooncake() {
  auto made = weka();
  made.name = "mooncake";
  made.what = "an hour of chat, each turn at its recorded time, from a trace";
  made.arrivals = Arrivals::recorded;
  made.sessions = {0};
  made.warm = {};
  return made;
}

}  // namespace

std::span<const Workload> workloads() {
  static const std::array all{
      published(),
      farm(),
      weka(),
      weka_mini(),
      mooncake(),
      hour("subagents", "after its third turn a session starts four sub-agents and waits for them",
           {8, 16, 24}, {.think = {1, 10}, .subagents = {.count = 4}}),
      hour("skew", "one session in eight has a first message 2.6 times as long, and 14 turns", {8, 16},
           {.turns_low = 3, .turns_high = 8, .heavy_share = 0.12, .heavy_factor = 2.6, .heavy_turns = 14}),
      hour("think", "4 to 16 turns with pauses between them", {16, 24, 32},
           {.turns_low = 4, .turns_high = 16, .think = {3, 60}}),
      poisson(),
  };
  return all;
}

const Workload* find_workload(std::string_view name) {
  const auto all = workloads();
  const auto found = std::ranges::find(all, name, &Workload::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace lmw::lab
